import type { ApplicationService } from '@adonisjs/core/types'

import { surfacesOf } from '#configuration/processes'
import { env } from '#start/env'

declare module '@adonisjs/core/types' {
  interface ContainerBindings {
    /** The analyses in which the nodes of a client take part; none where there is no core to ask. */
    participations: (clientId: string) => Promise<ReadonlySet<string>>
    /** The realm of a bucket, null for one of none; undefined where there is no such bucket, or nobody to ask. */
    bucketRealms: (bucketId: string) => Promise<string | null | undefined>
  }
}

/**
 * Wires what one surface asks of another: in this process where it works for both, else over the other's address.
 */
export default class NeighboursProvider {
  constructor(protected app: ApplicationService) {}

  register() {
    this.app.container.singleton('participations', () => this.#participations())
    this.app.container.singleton('bucketRealms', () => this.#bucketRealms())
  }

  async #participations() {
    if (surfacesOf(env).includes('core')) {
      const { analysesOfClient } = await import('#core/analyses/analyses_of_client')
      return analysesOfClient
    }
    const url = env.CORE_URL
    if (url === undefined) {
      return async () => new Set<string>()
    }
    const { askCore } = await import('#storage/access/ask_core')
    return async (clientId: string) => {
      const provider = await this.app.container.make('identity')
      return askCore({ url, provider }, clientId)
    }
  }

  async #bucketRealms() {
    if (surfacesOf(env).includes('storage')) {
      const { bucketRealm } = await import('#storage/buckets/bucket_realm')
      return bucketRealm
    }
    const url = env.STORAGE_URL
    if (url === undefined) {
      return async () => undefined
    }
    const { askStorage } = await import('#core/analysis_buckets/ask_storage')
    return async (bucketId: string) => {
      const provider = await this.app.container.make('identity')
      return askStorage({ url, provider }, bucketId)
    }
  }
}
