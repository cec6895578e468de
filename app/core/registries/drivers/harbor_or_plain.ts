import {
  OtherRegistry,
  type Account,
  type ClaimedName,
  type FoundProject,
  type LinkedProject,
  type RegistryDriver,
  type UnwantedProject,
  type UnwantedWorker,
  type WantedProject,
  type WantedWorker,
} from '#core/registries/driver'
import type { HarborDriver } from './harbor.js'
import type { PlainRegistry } from './plain_registry.js'

/**
 * A registry with an account, of which nobody said what it is. It is a Harbor unless something else answers where Harbor would, and a
 * registry is there all the same: the page of a proxy does not make a Harbor a plain one.
 */
export class HarborOrPlain implements RegistryDriver {
  readonly #harbor: HarborDriver
  readonly #plain: PlainRegistry

  constructor(harbor: HarborDriver, plain: PlainRegistry) {
    this.#harbor = harbor
    this.#plain = plain
  }

  requireAccount(): Promise<void> {
    return this.#do((driver) => driver.requireAccount())
  }

  find(name: ClaimedName): Promise<FoundProject | null> {
    return this.#do((driver) => driver.find(name))
  }

  link(project: WantedProject): Promise<LinkedProject> {
    return this.#do((driver) => driver.link(project))
  }

  unlink(project: UnwantedProject): Promise<void> {
    return this.#do((driver) => driver.unlink(project))
  }

  keepWorker(worker: WantedWorker): Promise<Account | null> {
    return this.#do((driver) => driver.keepWorker(worker))
  }

  dropWorker(worker: UnwantedWorker): Promise<void> {
    return this.#do((driver) => driver.dropWorker(worker))
  }

  async #do<T>(work: (driver: RegistryDriver) => Promise<T>): Promise<T> {
    try {
      return await work(this.#harbor)
    } catch (error) {
      if (error instanceof OtherRegistry && (await this.#plain.isThere())) {
        return work(this.#plain)
      }
      throw error
    }
  }
}
