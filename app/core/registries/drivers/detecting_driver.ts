import type {
  Account,
  ClaimedName,
  ExistingProject,
  LinkedProject,
  RegistryDriver,
  ObsoleteProject,
  WorkerAccount,
  DesiredProject,
  DesiredWorkerAccount,
} from '#core/registries/registry_driver'
import type { HarborDriver } from './harbor_driver.js'
import type { PlainRegistryDriver } from './plain_registry_driver.js'

/**
 * Detects the type of a registry at its first request. It is plain only if it responds as a registry and not as Harbor, so
 * that the error page of a proxy does not turn a Harbor into a plain registry.
 */
export class DetectingDriver implements RegistryDriver {
  readonly #harbor: HarborDriver
  readonly #plain: PlainRegistryDriver
  #driver: Promise<RegistryDriver> | undefined

  constructor(harbor: HarborDriver, plain: PlainRegistryDriver) {
    this.#harbor = harbor
    this.#plain = plain
  }

  requireAccount(): Promise<void> {
    return this.#withDriver((driver) => driver.requireAccount())
  }

  find(name: ClaimedName): Promise<ExistingProject | null> {
    return this.#withDriver((driver) => driver.find(name))
  }

  link(project: DesiredProject): Promise<LinkedProject> {
    return this.#withDriver((driver) => driver.link(project))
  }

  unlink(project: ObsoleteProject): Promise<void> {
    return this.#withDriver((driver) => driver.unlink(project))
  }

  findAccountName(id: string): Promise<string | null> {
    return this.#withDriver((driver) => driver.findAccountName(id))
  }

  ensureWorkerAccount(worker: DesiredWorkerAccount): Promise<Account | null> {
    return this.#withDriver((driver) => driver.ensureWorkerAccount(worker))
  }

  removeWorkerAccount(worker: WorkerAccount): Promise<void> {
    return this.#withDriver((driver) => driver.removeWorkerAccount(worker))
  }

  /** Detects the type once. A failed detection is repeated at the next request. */
  async #withDriver<T>(work: (driver: RegistryDriver) => Promise<T>): Promise<T> {
    this.#driver ??= this.#detect().catch((error: unknown) => {
      this.#driver = undefined
      throw error
    })
    return work(await this.#driver)
  }

  async #detect(): Promise<RegistryDriver> {
    const isPlain = !(await this.#harbor.detect()) && (await this.#plain.detect())
    return isPlain ? this.#plain : this.#harbor
  }
}
