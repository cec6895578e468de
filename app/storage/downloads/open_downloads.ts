import { inject } from '@adonisjs/core'

import type { Actor } from '#kernel/actor'
import { Failure, ServiceUnavailable } from '#kernel/failures'
import { issue } from '#kernel/issues'
import { isMasterMember } from '#kernel/realm'
import { storageSettings } from '#storage/storage_settings'

const RETRY_AFTER = { 'retry-after': '5' }

/** The caller or its realm has as many downloads open as it may. */
class TooManyDownloads extends Failure {
  constructor(of: 'identity' | 'realm', max: number) {
    super(
      429,
      'rate_limited',
      `There are ${max} open downloads of this ${of}, which is the limit; read them to their end or close them, and try again`,
      {
        issues: [
          issue('download_limit', [], `The limit for one ${of} is reached`, {
            data: { max },
            meta: { of },
          }),
        ],
        headers: RETRY_AFTER,
      }
    )
  }
}

/** Counts the answers of a process that carry files: each takes memory and a descriptor until it is read. */
@inject()
export class OpenDownloads {
  readonly #limits = storageSettings().downloads
  readonly #counts = new Map<string, number>()
  #all = 0

  /** Counts a download while it is sent. Throws if a limit is reached. */
  async run(actor: Actor, send: () => Promise<void>): Promise<void> {
    const keys = this.#admit(actor)
    try {
      await send()
    } finally {
      this.#all--
      keys.forEach((key) => this.#add(key, -1))
    }
  }

  get size(): number {
    return this.#all
  }

  #admit(actor: Actor): readonly string[] {
    const { perIdentity, perRealm, inAll } = this.#limits
    const own = `${actor.kind} ${actor.id}`
    const realm = isMasterMember(actor) ? undefined : `realm ${actor.realmId}`
    if (perIdentity > 0 && this.#of(own) >= perIdentity) {
      throw new TooManyDownloads('identity', perIdentity)
    }
    if (realm !== undefined && this.#of(realm) >= perRealm) {
      throw new TooManyDownloads('realm', perRealm)
    }
    if (this.#all >= inAll) {
      throw new ServiceUnavailable('Too many downloads are open; try again shortly', {
        headers: RETRY_AFTER,
      })
    }
    const keys = realm === undefined ? [own] : [own, realm]
    this.#all++
    keys.forEach((key) => this.#add(key, 1))
    return keys
  }

  #of(key: string): number {
    return this.#counts.get(key) ?? 0
  }

  #add(key: string, change: 1 | -1): void {
    const count = this.#of(key) + change
    if (count > 0) {
      this.#counts.set(key, count)
    } else {
      this.#counts.delete(key)
    }
  }
}
