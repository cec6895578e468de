import type { StreamedRecord } from '#auth/record_stream'
import { newId } from '#kernel/new_id'
import { uniqueOf } from '#telemetry/logs/line_key'
import { testOf, type LogFilter } from '#telemetry/logs/log_filter'
import { recordOf, recordText, type LogLine } from '#telemetry/logs/log_line'
import type { LogList, LogPage, LogStore, WriteOptions } from '#telemetry/logs/log_store'
import { logMetrics } from '#telemetry/logs/metrics'
import { LineRing, type LineRingLimits, type NumberedLine } from './line_ring.js'
import { RecentKeys } from './recent_keys.js'

/** The bus redelivers lines that are in flight, so a redelivery is not far behind. */
const MAX_RECENT_KEYS = 8_192

/** Stores the newest lines in the memory of this process. Every read scans them. */
export class MemoryLogStore implements LogStore {
  readonly #ring: LineRing
  /** Identifies this store, so that cursors of a previous one mean its beginning. */
  readonly #id = newId()
  readonly #recentKeys = new RecentKeys(MAX_RECENT_KEYS)
  readonly #wakeups = new Set<() => void>()

  constructor(limits: LineRingLimits) {
    this.#ring = new LineRing(limits)
  }

  get count(): number {
    return this.#ring.count
  }

  get bytes(): number {
    return this.#ring.bytes
  }

  async write(lines: readonly LogLine[], { again = false }: WriteOptions = {}): Promise<void> {
    let dropped = 0
    for (const line of lines) {
      const isNew = this.#recentKeys.add(uniqueOf(line.key))
      if (isNew || !again) {
        dropped += this.#ring.add({ ...recordOf(line), owner: line.owner })
      }
    }
    logMetrics.written('memory', lines.length)
    logMetrics.dropped('memory', dropped)
    this.#wakeUp()
  }

  async list(filter: LogFilter, { limit, offset, oldestFirst = false }: LogPage): Promise<LogList> {
    const lines = byTime(this.#ring.filter(testOf(filter)))
    const total = lines.length
    const page = oldestFirst
      ? lines.slice(offset, offset + limit)
      : lines.slice(Math.max(0, total - offset - limit), Math.max(0, total - offset)).reverse()
    return { records: page.map(({ record }) => recordText(record)), total }
  }

  async remove(filter: LogFilter): Promise<void> {
    this.#ring.remove(testOf(filter))
  }

  async *tail(
    filter: LogFilter,
    signal: AbortSignal,
    after?: string
  ): AsyncGenerator<StreamedRecord> {
    const isMeant = testOf(filter)
    let next = this.#numberAfter(after)
    const wakeUp = () => this.#wakeUp()
    signal.addEventListener('abort', wakeUp, { once: true })
    while (!signal.aborted) {
      const lines = this.#ring.from(next)
      next = this.#ring.next
      for (const { number, record } of lines) {
        if (isMeant(record)) {
          yield { record: recordText(record), cursor: `${this.#id}.${number}` }
        }
      }
      if (next === this.#ring.next && !signal.aborted) {
        await this.#nextWrite()
      }
    }
    signal.removeEventListener('abort', wakeUp)
  }

  async findDeletionProblem(): Promise<undefined> {}

  async close(): Promise<void> {}

  #numberAfter(cursor: string | undefined): number {
    if (cursor === undefined) {
      return this.#ring.next
    }
    const [id, number] = cursor.split('.')
    return id === this.#id && /^\d+$/.test(number ?? '') ? Number(number) + 1 : 0
  }

  #nextWrite(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#wakeups.add(resolve)
    return promise.finally(() => this.#wakeups.delete(resolve))
  }

  #wakeUp(): void {
    this.#wakeups.forEach((resolve) => resolve())
  }
}

/** Lines mostly arrive in order of their time. Lines of the same time stay in order of arrival. */
function byTime(lines: NumberedLine[]): NumberedLine[] {
  const isOrdered = lines.every(({ time }, index) => index === 0 || lines[index - 1]!.time <= time)
  return isOrdered ? lines : lines.sort((one, other) => one.time - other.time)
}
