import { LRUCache } from 'lru-cache'

import type { Statement } from '#query/sql/statement'

const TRACKED_STATEMENTS = 512
const USES_BEFORE_NAMING = 3
const MAX_NAMES = 256

/**
 * Lets the database keep the plans of statements that come again and again. A name stays with each connection for good,
 * so only a bounded number of shapes gets one, each only once it has proven common.
 */
export class PreparedStatements {
  readonly #uses = new LRUCache<string, number>({ max: TRACKED_STATEMENTS })
  readonly #named = new Set<string>()

  /** The statement as it is to be sent: with its name where it has earned one. */
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
