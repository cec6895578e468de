import { setTimeout as delay } from 'node:timers/promises'

import type { LogLine } from '#telemetry/logs/log_line'
import { neverShown } from './lookup.js'
import type { VictoriaLogsServer } from './server.js'

interface Doubt {
  readonly lines: readonly LogLine[]
  readonly missing: PromiseWithResolvers<readonly LogLine[]>
}

/**
 * Lines that come once more, after the process that brought them ended: it may have been done with them. A broker delivers all of
 * these at once, so they are looked for together, when what was written last is shown.
 */
export class Doubts {
  readonly #server: VictoriaLogsServer
  readonly #visibleMs: number
  #waiting: Doubt[] = []

  constructor(server: VictoriaLogsServer, visibleMs: number) {
    this.#server = server
    this.#visibleMs = visibleMs
  }

  /** Those of the lines that the server does not have. */
  missing(lines: readonly LogLine[]): Promise<readonly LogLine[]> {
    const doubt: Doubt = { lines, missing: Promise.withResolvers() }
    this.#waiting.push(doubt)
    if (this.#waiting.length === 1) {
      void this.#look()
    }
    return doubt.missing.promise
  }

  async #look(): Promise<void> {
    await delay(this.#visibleMs)
    const doubts = this.#waiting
    this.#waiting = []
    try {
      const lines = doubts.flatMap((doubt) => doubt.lines)
      const missing = new Set(await neverShown(this.#server, lines))
      doubts.forEach((doubt) =>
        doubt.missing.resolve(doubt.lines.filter((line) => missing.has(line)))
      )
    } catch (error) {
      doubts.forEach((doubt) => doubt.missing.reject(error))
    }
  }
}
