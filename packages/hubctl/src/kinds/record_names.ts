import { LRUCache } from 'lru-cache'

import type { Api } from '#hubctl/platform/api'
import { Problem } from '#hubctl/problem'
import { findRecord } from './find_record.js'
import type { Kinds } from './kinds.js'

/** Names are cached for a minute, since records can be renamed. */
const REMEMBERED = { max: 1_000, ttl: 60_000 }

/** Looks up and caches the names of records. */
export class RecordNames {
  readonly #api: Api
  readonly #kinds: Kinds
  readonly #names = new LRUCache<string, Promise<string>>(REMEMBERED)

  constructor(api: Api, kinds: Kinds) {
    this.#api = api
    this.#kinds = kinds
  }

  /** The name of a record; its id if it has none or the caller cannot read it. */
  of(kind: string, id: string): Promise<string> {
    const known = this.#names.get(id)
    const name = known ?? this.#find(kind, id)
    if (!known) {
      this.#names.set(id, name)
    }
    return name
  }

  async #find(kind: string, id: string): Promise<string> {
    try {
      const found = await findRecord(this.#api, await this.#kinds.find(kind), id)
      const { name, path } = found
      return [name, path].find((one): one is string => typeof one === 'string') ?? id
    } catch (error) {
      if (error instanceof Problem) {
        return id
      }
      throw error
    }
  }
}
