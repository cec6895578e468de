import type {
  LinkedProject,
  RegistryDriver,
  DesiredProject,
} from '#core/registries/registry_driver'

/** A registry without an account of the platform. It accepts images under any name, and nothing is created in it. */
export class NullDriver implements RegistryDriver {
  async requireAccount(): Promise<void> {}

  async find(): Promise<null> {
    return null
  }

  async link(_project: DesiredProject): Promise<LinkedProject> {
    return { id: null, account: null, webhookId: null, isPublic: null }
  }

  async unlink(): Promise<void> {}

  async findAccountName(_id: string): Promise<string | null> {
    return null
  }

  async ensureWorkerAccount(): Promise<null> {
    return null
  }

  async removeWorkerAccount(): Promise<void> {}
}
