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
import type { HarborDriver } from './harbor.js'
import type { PlainRegistry } from './plain_registry.js'

/**
 * A registry with an account, of which nobody said what it is. It is a Harbor where Harbor's description of itself is, or where nothing
 * answers as a registry does: the page of a proxy does not make a Harbor a plain one.
 */
export class HarborOrPlain implements RegistryDriver {
  readonly #harbor: HarborDriver
  readonly #plain: PlainRegistry
  #found: Promise<RegistryDriver> | undefined

  constructor(harbor: HarborDriver, plain: PlainRegistry) {
    this.#harbor = harbor
    this.#plain = plain
  }

  requireAccount(): Promise<void> {
    return this.#do((driver) => driver.requireAccount())
  }

  find(name: ClaimedName): Promise<ExistingProject | null> {
    return this.#do((driver) => driver.find(name))
  }

  link(project: DesiredProject): Promise<LinkedProject> {
    return this.#do((driver) => driver.link(project))
  }

  unlink(project: ObsoleteProject): Promise<void> {
    return this.#do((driver) => driver.unlink(project))
  }

  findAccountName(id: string): Promise<string | null> {
    return this.#do((driver) => driver.findAccountName(id))
  }

  ensureWorkerAccount(worker: DesiredWorkerAccount): Promise<Account | null> {
    return this.#do((driver) => driver.ensureWorkerAccount(worker))
  }

  removeWorkerAccount(worker: WorkerAccount): Promise<void> {
    return this.#do((driver) => driver.removeWorkerAccount(worker))
  }

  /** It is asked once what it is, and again only where that was not answered. */
  async #do<T>(work: (driver: RegistryDriver) => Promise<T>): Promise<T> {
    this.#found ??= this.#identify().catch((error: unknown) => {
      this.#found = undefined
      throw error
    })
    return work(await this.#found)
  }

  async #identify(): Promise<RegistryDriver> {
    const isPlain = !(await this.#harbor.isThere()) && (await this.#plain.isThere())
    return isPlain ? this.#plain : this.#harbor
  }
}
