import { logMetrics } from '#telemetry/logs/metrics'
import { findInvisible } from './lookup.js'
import { bytesOf, type SentLine } from './sent_line.js'
import type { VictoriaLogsServer } from './server.js'

const MAX_BYTES = 64 * 1024 ** 2
/** After this many resends the server evidently does not accept the line. */
const MAX_RESENDS = 3

interface UnconfirmedBatch {
  readonly lines: readonly SentLine[]
  readonly until: number
  readonly resends: number
}

interface UnconfirmedLinesOptions {
  readonly server: VictoriaLogsServer
  readonly durableMs: number
  readonly resend: (lines: readonly SentLine[]) => Promise<void>
  readonly report: (error: unknown, what: string) => void
}

/**
 * Retains accepted lines until the server has written them to its disk, then checks that they are visible. Lines
 * that the server lost in a crash are sent again.
 */
export class UnconfirmedLines {
  readonly #options: UnconfirmedLinesOptions
  #batches: UnconfirmedBatch[] = []
  #bytes = 0
  #timer: NodeJS.Timeout | undefined

  constructor(options: UnconfirmedLinesOptions) {
    this.#options = options
  }

  add(lines: readonly SentLine[], resends = 0): void {
    if (lines.length === 0) {
      return
    }
    const until = performance.now() + this.#options.durableMs
    this.#batches.push({ lines, until, resends })
    this.#bytes += bytesOf(lines)
    while (this.#bytes > MAX_BYTES && this.#batches.length > 1) {
      this.#shift()
    }
    this.#schedule()
  }

  /** Drops all retained lines: after a deletion, a missing line is not lost. */
  clear(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#batches = []
    this.#bytes = 0
  }

  #shift(): UnconfirmedBatch {
    const oldest = this.#batches.shift()!
    this.#bytes -= bytesOf(oldest.lines)
    return oldest
  }

  #schedule(inMs = Math.max(0, (this.#batches[0]?.until ?? 0) - performance.now())): void {
    if (this.#batches.length > 0) {
      this.#timer ??= setTimeout(() => void this.#verify(), inMs).unref()
    }
  }

  async #verify(): Promise<void> {
    const oldest = this.#batches[0]!
    const timer = this.#timer
    let missing: SentLine[] | undefined
    try {
      missing = await findInvisible(this.#options.server, oldest.lines)
    } catch {
      // The server is unavailable; the lines are checked later.
    }
    if (this.#timer === timer) {
      this.#timer = undefined
    }
    if (this.#batches[0] === oldest) {
      if (missing === undefined) {
        return this.#schedule(this.#options.durableMs / 4)
      }
      this.#shift()
      await this.#resend(missing, oldest.resends)
    }
    this.#schedule()
  }

  async #resend(missing: readonly SentLine[], resends: number): Promise<void> {
    if (missing.length === 0) {
      return
    }
    if (resends === MAX_RESENDS) {
      logMetrics.dropped('victorialogs', missing.length)
      const example = missing[0]!.line.time
      return this.#options.report(
        new Error(`${missing.length} lines are missing, one of them from ${example}`),
        'the log store accepts lines and loses them; check its retention and LOGSTORE_RETENTION_DAYS'
      )
    }
    logMetrics.repeated(missing.length)
    try {
      await this.#options.resend(missing)
      this.add(missing, resends + 1)
    } catch {
      this.add(missing, resends)
    }
  }
}
