import { LRUCache } from 'lru-cache'

import type { Statement } from '#query/sql/statement'

const TRACKED_STATEMENTS = 512
const USES_BEFORE_NAMING = 3
const MAX_NAMES = 256

/**
 * Names frequent statements so that PostgreSQL caches their plans. A name stays with each connection, so only a bounded
 * number of statements is named, each after several uses.
 */
export class PreparedStatements {
  readonly #uses = new LRUCache<string, number>({ max: TRACKED_STATEMENTS })
  readonly #named = new Set<string>()

  /** The query to send: named if the statement is frequent. */
  prepare({ name, text, values }: Statement): { name?: string; text: string; values: unknown[] } {
    return this.#isNamed(name) ? { name, text, values: [...values] } : { text, values: [...values] }
  }

  #isNamed(name: string): boolean {
    if (this.#named.has(name)) {
      return true
    }
    const uses = (this.#uses.get(name) ?? 0) + 1
    this.#uses.set(name, uses)
    if (uses > USES_BEFORE_NAMING && this.#named.size < MAX_NAMES) {
      this.#named.add(name)
    }
    return false
  }
}
