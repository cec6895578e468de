import { IdentityUnavailable } from '#kernel/failures'
import type { PeopleDirectory } from '#auth/provider'

import type { ProviderApi } from './provider_api.js'

/** The realms and users of a provider with the records API. */
export class HttpPeopleDirectory implements PeopleDirectory {
  readonly showsEverybody = false
  readonly #api: ProviderApi

  constructor(api: ProviderApi) {
    this.#api = api
  }

  async realmIds(): Promise<ReadonlySet<string>> {
    const realms = await this.#api.list('/realms', { fields: 'id' })
    return new Set(realms.map(({ id }) => id))
  }

  async users(): Promise<ReadonlyMap<string, string | null>> {
    const users = await this.#api.list('/users', { fields: 'id,realmId' })
    return new Map(users.map(({ id, realmId = null }) => [id, realmId]))
  }

  hasRealm(id: string): Promise<boolean> {
    return this.#has('/realms', id)
  }

  hasUser(id: string): Promise<boolean> {
    return this.#has('/users', id)
  }

  /** Throws unless the provider returns the record itself or 404. */
  async #has(collection: string, id: string): Promise<boolean> {
    const path = `${collection}/${encodeURIComponent(id)}`
    const { status, body } = await this.#api.call(path, { expected: [200, 404] })
    if (status === 200 && body?.data?.id !== id) {
      const cause = new Error(`${path} of the identity provider returned another record`)
      throw new IdentityUnavailable(undefined, { cause })
    }
    return status === 200
  }
}
