import type { Logger } from '@adonisjs/core/logger'
import { Gauge } from 'prom-client'

import { metrics } from '#observability/metrics'

const skippedRecords = new Gauge({
  name: 'identity_clients_passed_over',
  help: 'Records whose client could not be repaired by the last sweep',
  labelNames: ['sweep'] as const,
  registers: [metrics],
})

/** Records that a sweep could not repair. Each is logged once, and counted until it is repaired. */
export class SkippedRecords {
  readonly #sweep: string
  readonly #logger: Pick<Logger, 'warn'>
  #logged = new Set<string>()
  #now = new Set<string>()

  constructor(sweep: string, logger: Pick<Logger, 'warn'>) {
    this.#sweep = sweep
    this.#logger = logger
  }

  start(): void {
    this.#now = new Set()
  }

  add(id: string, error: unknown): void {
    this.#now.add(id)
    if (!this.#logged.has(id)) {
      this.#logged.add(id)
      this.#logger.warn({ err: error, record: id }, 'the client of a record could not be repaired')
    }
  }

  /** Call after all records were checked. */
  finish(): void {
    this.#logged = this.#now
    skippedRecords.set({ sweep: this.#sweep }, this.#now.size)
  }
}
