import type {
  Account,
  ClaimedName,
  FoundProject,
  LinkedProject,
  RegistryDriver,
  UnwantedProject,
  UnwantedWorker,
  WantedProject,
  WantedWorker,
} from '#core/registries/driver'
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

  async requireAccount(): Promise<void> {
    return (await this.#driver()).requireAccount()
  }

  async find(name: ClaimedName): Promise<FoundProject | null> {
    return (await this.#driver()).find(name)
  }

  async link(project: WantedProject): Promise<LinkedProject> {
    return (await this.#driver()).link(project)
  }

  async unlink(project: UnwantedProject): Promise<void> {
    return (await this.#driver()).unlink(project)
  }

  async keepWorker(worker: WantedWorker): Promise<Account | null> {
    return (await this.#driver()).keepWorker(worker)
  }

  async dropWorker(worker: UnwantedWorker): Promise<void> {
    return (await this.#driver()).dropWorker(worker)
  }

  /** Asks once what it is; again only where that was not answered. */
  async #driver(): Promise<RegistryDriver> {
    this.#found ??= this.#identify()
    try {
      return await this.#found
    } catch (error) {
      this.#found = undefined
      throw error
    }
  }

  async #identify(): Promise<RegistryDriver> {
    const isPlain = !(await this.#harbor.isThere()) && (await this.#plain.isThere())
    return isPlain ? this.#plain : this.#harbor
  }
}
