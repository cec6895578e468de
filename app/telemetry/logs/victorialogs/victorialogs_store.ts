import { sleep } from '#kernel/backoff'
import { clock } from '#kernel/clock'
import { DeletionUnsupported, OutsideRetention } from '#telemetry/logs/errors'
import { instantOf } from '#telemetry/logs/instant'
import { keyFrom, rightAfter, timeOfKey } from '#telemetry/logs/line_key'
import type { LogFilter } from '#telemetry/logs/log_filter'
import type { LogLine } from '#telemetry/logs/log_line'
import type { FoundLogs, LogPage, LogStore, WriteOptions } from '#telemetry/logs/log_store'
import { KEY_LABEL } from '#telemetry/logs/reserved_labels'
import type { StreamedRecord } from '#auth/record_stream'
import { deleteLines, whyNoDeletion } from './deletion.js'
import { Doubts } from './doubts.js'
import { keyIn, recordIn } from './fields.js'
import { Keeper } from './keeper.js'
import { allOf, keysBetween, logsqlOf } from './logsql.js'
import { narrowedPage } from './narrowed_page.js'
import { PendingLines } from './pending_lines.js'
import { Sender } from './sender.js'
import { VictoriaLogsServer, type ServerAddresses } from './server.js'
import { SERVER_TIMING, type Timing } from './timing.js'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
/** The server keeps nothing that is dated later than this. */
const AHEAD_MS = 2 * DAY_MS
const FOLLOWED_AT_ONCE = 1_000

export interface VictoriaLogsOptions extends ServerAddresses {
  readonly retentionDays: number
  readonly timing?: Timing
  readonly report: (error: unknown, what: string) => void
  /** Tells the other processes that lines are removed: they would miss them. */
  readonly tellRemoval?: () => void
}

/**
 * Keeps lines in a VictoriaLogs server. What is behind its API was measured: docs/telemetry.md says what matters to operators.
 */
export class VictoriaLogsStore implements LogStore {
  readonly #server: VictoriaLogsServer
  readonly #options: VictoriaLogsOptions
  readonly #timing: Timing
  readonly #sender: Sender
  readonly #keeper: Keeper
  readonly #doubts: Doubts
  readonly #pending: PendingLines

  constructor(options: VictoriaLogsOptions) {
    const { report, timing = SERVER_TIMING } = options
    this.#options = options
    this.#timing = timing
    this.#server = new VictoriaLogsServer(options)
    this.#pending = new PendingLines(timing.visibleMs)
    this.#doubts = new Doubts(this.#server, timing.visibleMs)
    this.#sender = new Sender(this.#server, timing, (lines) => this.#keeper.keep(lines))
    this.#keeper = new Keeper({
      server: this.#server,
      durableMs: timing.durableMs,
      resend: (lines) => this.#sender.resend(lines),
      report,
    })
  }

  async write(lines: readonly LogLine[], { again = false }: WriteOptions = {}): Promise<void> {
    lines.forEach((line) => this.#requireKept(line))
    await this.#pending.during(lines, async () => {
      const missing = again ? await this.#doubts.missing(lines) : lines
      if (missing.length > 0) {
        await this.#sender.send(missing)
      }
    })
  }

  async list(filter: LogFilter, page: LogPage): Promise<FoundLogs> {
    const {
      total,
      filter: asked,
      offset,
    } = await narrowedPage(this.#server, logsqlOf(filter), page)
    const by = page.oldestFirst ? `_time, ${KEY_LABEL}` : `_time desc, ${KEY_LABEL} desc`
    const lines = asked
      ? await this.#server.query(`${asked} | sort by (${by}) offset ${offset} limit ${page.limit}`)
      : []
    return { records: lines.map((fields) => JSON.stringify(recordIn(fields))), total }
  }

  async remove(filter: LogFilter): Promise<void> {
    const reason = await this.whyNotRemove()
    if (reason !== undefined) {
      throw new DeletionUnsupported(reason)
    }
    this.forget()
    this.#options.tellRemoval?.()
    await deleteLines(this.#server, logsqlOf(filter), this.#timing.pollMs)
  }

  /** Only lines that came in a moment ago: none that is shown later came in before those that were shown. */
  async *follow(
    filter: LogFilter,
    signal: AbortSignal,
    after?: string
  ): AsyncGenerator<StreamedRecord> {
    const isCursor = after !== undefined && !Number.isNaN(timeOfKey(after))
    let last = isCursor ? after : keyFrom(clock.now())
    while (!signal.aborted) {
      const end = this.#shownBefore()
      const lines = end > last ? await this.#between(filter, last, end) : []
      for (const fields of lines) {
        last = keyIn(fields)
        yield { record: JSON.stringify(recordIn(fields)), cursor: last }
      }
      if (lines.length < FOLLOWED_AT_ONCE) {
        last = end > last ? end : last
        await sleep(this.#timing.pollMs, signal)
      }
    }
  }

  whyNotRemove(): Promise<string | undefined> {
    return whyNoDeletion(this.#server)
  }

  /** Lets go of lines that are kept until they are on the server's disk: somebody removes some. */
  forget(): void {
    this.#keeper.forget()
  }

  async close(): Promise<void> {
    await this.#sender.idle()
    this.#keeper.forget()
  }

  #requireKept({ time }: LogLine): void {
    const milliseconds = Date.parse(time)
    const age = clock.now() - milliseconds
    if (age > this.#options.retentionDays * DAY_MS - HOUR_MS || age < HOUR_MS - AHEAD_MS) {
      throw new OutsideRetention(time)
    }
  }

  /** Lines with lesser keys are shown, as far as this process knows. */
  #shownBefore(): string {
    return keyFrom(Math.min(clock.now() - this.#timing.visibleMs, this.#pending.since))
  }

  async #between(filter: LogFilter, after: string, end: string) {
    const since: LogFilter = {
      kind: 'time',
      op: '>=',
      at: instantOf(timeOfKey(after) - HOUR_MS),
    }
    const asked = allOf([keysBetween(rightAfter(after), end), logsqlOf(since), logsqlOf(filter)])
    return this.#server.query(`${asked} | sort by (${KEY_LABEL}) limit ${FOLLOWED_AT_ONCE}`)
  }
}
