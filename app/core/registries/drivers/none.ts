import type { LinkedProject, RegistryDriver, WantedProject } from '#core/registries/driver'

/**
 * A registry the platform has no account for. It takes images under any name, and there is nothing to be made in it.
 */
export class NoDriver implements RegistryDriver {
  async requireAccount(): Promise<void> {}

  async find(): Promise<null> {
    return null
  }

  async link(_project: WantedProject): Promise<LinkedProject> {
    return { id: null, account: null, webhookId: null }
  }

  async unlink(): Promise<void> {}

  async accountName(_id: string): Promise<string | null> {
    return null
  }

  async keepWorker(): Promise<null> {
    return null
  }

  async dropWorker(): Promise<void> {}
}
