import type { PeopleDirectory } from '#identity/provider'

import type { ProviderApi } from './provider_api.js'

/**
 * Who exists at a provider with the records API.
 */
export class HttpPeopleDirectory implements PeopleDirectory {
  readonly #api: ProviderApi

  constructor(api: ProviderApi) {
    this.#api = api
  }

  realmIds(): Promise<ReadonlySet<string>> {
    return this.#idsIn('/realms')
  }

  userIds(): Promise<ReadonlySet<string>> {
    return this.#idsIn('/users')
  }

  async #idsIn(path: string): Promise<ReadonlySet<string>> {
    const records = await this.#api.list(path, { fields: 'id' })
    return new Set(records.map(({ id }) => id))
  }
}
