import { LRUCache } from 'lru-cache'

import type { LogFilter } from '#telemetry/logs/log_filter'
import type { LogList, LogPage } from '#telemetry/logs/log_store'
import { KnownSearch } from './known_search.js'
import type { Ring } from './ring.js'

/** A search that found nothing. */
const OWN_BYTES = 1_024

/**
 * The latest searches, within so many bytes: whoever waits for the lines of an analysis asks for them again and again.
 */
export class KnownSearches {
  readonly #ring: Ring
  readonly #searches: LRUCache<string, KnownSearch>
  readonly #names = new WeakMap<LogFilter, string>()

  constructor(ring: Ring, bytes: number) {
    this.#ring = ring
    this.#searches = new LRUCache({
      maxSize: bytes,
      sizeCalculation: (search, name) => search.bytes + OWN_BYTES + name.length * 2,
    })
  }

  get bytes(): number {
    return this.#searches.calculatedSize
  }

  list(filter: LogFilter, page: LogPage): LogList {
    const name = this.#nameOf(filter)
    const search = this.#searches.get(name) ?? new KnownSearch(this.#ring, filter)
    const found = search.list(page)
    // A search that is there already would keep the size it had.
    this.#searches.delete(name)
    this.#searches.set(name, search)
    return found
  }

  /** Of lines that are removed at will. */
  forget(): void {
    this.#searches.clear()
  }

  #nameOf(filter: LogFilter): string {
    let name = this.#names.get(filter)
    if (name === undefined) {
      name = JSON.stringify(filter, (_, value) => (typeof value === 'bigint' ? `${value}` : value))
      this.#names.set(filter, name)
    }
    return name
  }
}
