import { sleep } from '#kernel/backoff'
import { clock } from '#kernel/clock'
import { DeletionUnsupported, OutsideRetention } from '#telemetry/logs/errors'
import { instantOf } from '#telemetry/logs/instant'
import { firstKeyAt, keyAfter, timeOfKey } from '#telemetry/logs/line_key'
import type { LogFilter } from '#telemetry/logs/log_filter'
import { recordText, type LogLine } from '#telemetry/logs/log_line'
import type { LogList, LogPage, LogStore, WriteOptions } from '#telemetry/logs/log_store'
import { KEY_LABEL } from '#telemetry/logs/reserved_labels'
import type { StreamedRecord } from '#auth/record_stream'
import { deleteLines, findDeletionProblem } from './deletion.js'
import { RedeliveryLookup } from './redelivery_lookup.js'
import { keyOfFields, recordFrom } from './fields.js'
import { UnconfirmedLines } from './unconfirmed_lines.js'
import { allOf, keysBetween, logsqlOf } from './logsql.js'
import { narrowedPage } from './narrowed_page.js'
import { PendingLines } from './pending_lines.js'
import { LineSender } from './line_sender.js'
import { VictoriaLogsServer, type ServerAddresses } from './server.js'
import { SERVER_TIMING, type Timing } from './timing.js'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
/** The server rejects lines dated later than this. */
const AHEAD_MS = 2 * DAY_MS
const TAIL_BATCH = 1_000

export interface VictoriaLogsOptions extends ServerAddresses {
  readonly retentionDays: number
  readonly timing?: Timing
  readonly report: (error: unknown, what: string) => void
  /** Notifies other processes of a deletion: they would send the lines again. */
  readonly notifyRemoval?: () => void
}

/** Stores lines in a VictoriaLogs server. docs/telemetry.md describes the operation. */
export class VictoriaLogsStore implements LogStore {
  readonly #server: VictoriaLogsServer
  readonly #options: VictoriaLogsOptions
  readonly #timing: Timing
  readonly #sender: LineSender
  readonly #unconfirmed: UnconfirmedLines
  readonly #redeliveries: RedeliveryLookup
  readonly #pending: PendingLines

  constructor(options: VictoriaLogsOptions) {
    const { report, timing = SERVER_TIMING } = options
    this.#options = options
    this.#timing = timing
    this.#server = new VictoriaLogsServer(options)
    this.#pending = new PendingLines(timing.visibleMs)
    this.#redeliveries = new RedeliveryLookup(this.#server, timing.visibleMs)
    this.#sender = new LineSender(this.#server, timing, (lines) => this.#unconfirmed.add(lines))
    this.#unconfirmed = new UnconfirmedLines({
      server: this.#server,
      durableMs: timing.durableMs,
      resend: (lines) => this.#sender.resend(lines),
      report,
    })
  }

  async write(lines: readonly LogLine[], { again = false }: WriteOptions = {}): Promise<void> {
    lines.forEach((line) => this.#requireRetained(line))
    await this.#pending.track(lines, async () => {
      const missing = again ? await this.#redeliveries.findMissing(lines) : lines
      if (missing.length > 0) {
        await this.#sender.send(missing)
      }
    })
  }

  async list(filter: LogFilter, page: LogPage): Promise<LogList> {
    const {
      total,
      filter: query,
      offset,
    } = await narrowedPage(this.#server, logsqlOf(filter), page)
    const by = page.oldestFirst ? `_time, ${KEY_LABEL}` : `_time desc, ${KEY_LABEL} desc`
    const lines = query
      ? await this.#server.query(`${query} | sort by (${by}) offset ${offset} limit ${page.limit}`)
      : []
    return { records: lines.map((fields) => recordText(recordFrom(fields))), total }
  }

  async remove(filter: LogFilter): Promise<void> {
    const reason = await this.findDeletionProblem()
    if (reason !== undefined) {
      throw new DeletionUnsupported(reason)
    }
    this.forgetUnconfirmed()
    this.#options.notifyRemoval?.()
    await deleteLines(this.#server, logsqlOf(filter), this.#timing.pollMs)
  }

  /** Reads only up to the visible lines: later ones must not become visible behind the cursor. */
  async *tail(
    filter: LogFilter,
    signal: AbortSignal,
    after?: string
  ): AsyncGenerator<StreamedRecord> {
    const isCursor = after !== undefined && !Number.isNaN(timeOfKey(after))
    let last = isCursor ? after : firstKeyAt(clock.now())
    while (!signal.aborted) {
      const end = this.#visibleBefore()
      const lines = end > last ? await this.#between(filter, last, end) : []
      for (const fields of lines) {
        last = keyOfFields(fields)
        yield { record: recordText(recordFrom(fields)), cursor: last }
      }
      if (lines.length < TAIL_BATCH) {
        last = end > last ? end : last
        await sleep(this.#timing.pollMs, signal)
      }
    }
  }

  findDeletionProblem(): Promise<string | undefined> {
    return findDeletionProblem(this.#server)
  }

  /** Drops lines that wait for durability, because some are deleted. */
  forgetUnconfirmed(): void {
    this.#unconfirmed.clear()
  }

  async close(): Promise<void> {
    await this.#sender.idle()
    this.#unconfirmed.clear()
  }

  #requireRetained({ time }: LogLine): void {
    const milliseconds = Date.parse(time)
    const age = clock.now() - milliseconds
    if (age > this.#options.retentionDays * DAY_MS - HOUR_MS || age < HOUR_MS - AHEAD_MS) {
      throw new OutsideRetention(time)
    }
  }

  /** The key before which all lines of this process are visible. */
  #visibleBefore(): string {
    return firstKeyAt(Math.min(clock.now() - this.#timing.visibleMs, this.#pending.since))
  }

  async #between(filter: LogFilter, after: string, end: string) {
    const since: LogFilter = {
      kind: 'time',
      op: '>=',
      at: instantOf(timeOfKey(after) - HOUR_MS),
    }
    const query = allOf([keysBetween(keyAfter(after), end), logsqlOf(since), logsqlOf(filter)])
    return this.#server.query(`${query} | sort by (${KEY_LABEL}) limit ${TAIL_BATCH}`)
  }
}
