import { inject } from '@adonisjs/core'
import { LRUCache } from 'lru-cache'

import { CorePool } from '#core/database'
import { clock } from '#kernel/clock'
import type { NodeReport } from './node_report.js'

/** How often the report of the same process of a node is written. */
const WRITE_EVERY_MS = 10 * 60_000
const MAX_WRITTEN = 10_000
/** The start of a process differs by the time that requests take, and when a clock is corrected. */
const SAME_PROCESS_MS = 2_000

/** Stores what nodes report about themselves. The report of an older process never replaces that of a newer one. */
@inject()
export class NodeReports {
  readonly #pool: CorePool
  readonly #written = new LRUCache<string, { startedAt: number; at: number }>({ max: MAX_WRITTEN })

  constructor(pool: CorePool) {
    this.#pool = pool
  }

  /** Writes the report of the node of a client. Returns undefined if it was written already. */
  record(clientId: string, report: NodeReport): Promise<void> | undefined {
    const { startedAt } = report
    const now = clock.now()
    const written = this.#written.get(clientId)
    const isOfSameProcess = written && startedAt - written.startedAt < SAME_PROCESS_MS
    if (isOfSameProcess && now - written.at < WRITE_EVERY_MS) {
      return undefined
    }
    this.#written.set(clientId, { startedAt, at: now })
    return this.#write(clientId, report)
  }

  async #write(
    clientId: string,
    { version, startedAt, clockDifferenceMs, unbounded }: NodeReport
  ): Promise<void> {
    const [started, later] = [new Date(startedAt), new Date(startedAt + SAME_PROCESS_MS)]
    await this.#pool.query(
      `update node_sightings set version = $2, clock_difference_ms = $3, started_at = $4,
         unbounded = $6
       where client_id = $1 and (started_at is null or started_at < $5)`,
      [clientId, version, clockDifferenceMs, started, later, unbounded]
    )
  }
}
