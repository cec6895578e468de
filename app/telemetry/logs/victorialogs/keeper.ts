import { logMetrics } from '#telemetry/logs/metrics'
import { notShown } from './lookup.js'
import { bytesOf, type SentLine } from './sent_line.js'
import type { VictoriaLogsServer } from './server.js'

const MOST_BYTES = 64 * 1024 ** 2
/** A line that is missing again and again is one that the server does not want. */
const REPETITIONS = 3

interface Kept {
  readonly lines: readonly SentLine[]
  readonly until: number
  readonly repetitions: number
}

interface KeeperOptions {
  readonly server: VictoriaLogsServer
  readonly durableMs: number
  readonly resend: (lines: readonly SentLine[]) => Promise<void>
  readonly report: (error: unknown, what: string) => void
}

/**
 * Keeps the lines the server has taken until they are on its disk, then looks whether they are there. Those that it lost, since
 * it ended in between, are sent once more.
 */
export class Keeper {
  readonly #options: KeeperOptions
  #kept: Kept[] = []
  #bytes = 0
  #timer: NodeJS.Timeout | undefined

  constructor(options: KeeperOptions) {
    this.#options = options
  }

  keep(lines: readonly SentLine[], repetitions = 0): void {
    if (lines.length === 0) {
      return
    }
    const until = performance.now() + this.#options.durableMs
    this.#kept.push({ lines, until, repetitions })
    this.#bytes += bytesOf(lines)
    while (this.#bytes > MOST_BYTES && this.#kept.length > 1) {
      this.#takeOldest()
    }
    this.#schedule()
  }

  /** Forgets what was taken so far: it may be gone because somebody removed it. */
  forget(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#kept = []
    this.#bytes = 0
  }

  #takeOldest(): Kept {
    const oldest = this.#kept.shift()!
    this.#bytes -= bytesOf(oldest.lines)
    return oldest
  }

  #schedule(inMs = Math.max(0, (this.#kept[0]?.until ?? 0) - performance.now())): void {
    if (this.#kept.length > 0) {
      this.#timer ??= setTimeout(() => void this.#look(), inMs).unref()
    }
  }

  async #look(): Promise<void> {
    const oldest = this.#kept[0]!
    const timer = this.#timer
    let missing: SentLine[] | undefined
    try {
      missing = await notShown(this.#options.server, oldest.lines)
    } catch {
      // The server is away; its lines are looked for when it is back.
    }
    if (this.#timer === timer) {
      this.#timer = undefined
    }
    if (this.#kept[0] === oldest) {
      if (missing === undefined) {
        return this.#schedule(this.#options.durableMs / 4)
      }
      this.#takeOldest()
      await this.#repeat(missing, oldest.repetitions)
    }
    this.#schedule()
  }

  async #repeat(missing: readonly SentLine[], repetitions: number): Promise<void> {
    if (missing.length === 0) {
      return
    }
    if (repetitions === REPETITIONS) {
      logMetrics.dropped('victorialogs', missing.length)
      const example = missing[0]!.line.time
      return this.#options.report(
        new Error(`${missing.length} lines are missing, one of them from ${example}`),
        'the log store takes lines and does not keep them; look at its retention, and at LOGSTORE_RETENTION_DAYS'
      )
    }
    logMetrics.repeated(missing.length)
    try {
      await this.#options.resend(missing)
      this.keep(missing, repetitions + 1)
    } catch {
      this.keep(missing, repetitions)
    }
  }
}
