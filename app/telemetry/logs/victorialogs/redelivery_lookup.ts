import { setTimeout as delay } from 'node:timers/promises'

import type { LogLine } from '#telemetry/logs/log_line'
import { findNeverStored } from './lookup.js'
import type { VictoriaLogsServer } from './server.js'

interface PendingLookup {
  readonly lines: readonly LogLine[]
  readonly missing: PromiseWithResolvers<readonly LogLine[]>
}

/**
 * Finds out which redelivered lines the server already has. A broker redelivers many at once, so they are looked up
 * together, after recent writes have become visible.
 */
export class RedeliveryLookup {
  readonly #server: VictoriaLogsServer
  readonly #visibleMs: number
  #pending: PendingLookup[] = []

  constructor(server: VictoriaLogsServer, visibleMs: number) {
    this.#server = server
    this.#visibleMs = visibleMs
  }

  /** The lines that the server does not have. */
  findMissing(lines: readonly LogLine[]): Promise<readonly LogLine[]> {
    const lookup: PendingLookup = { lines, missing: Promise.withResolvers() }
    this.#pending.push(lookup)
    if (this.#pending.length === 1) {
      void this.#flush()
    }
    return lookup.missing.promise
  }

  async #flush(): Promise<void> {
    await delay(this.#visibleMs)
    const lookups = this.#pending
    this.#pending = []
    try {
      const lines = lookups.flatMap((lookup) => lookup.lines)
      const missing = new Set(await findNeverStored(this.#server, lines))
      lookups.forEach((lookup) =>
        lookup.missing.resolve(lookup.lines.filter((line) => missing.has(line)))
      )
    } catch (error) {
      lookups.forEach((lookup) => lookup.missing.reject(error))
    }
  }
}
