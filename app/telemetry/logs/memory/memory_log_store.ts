import { newId } from '#kernel/new_id'
import { uniqueOf } from '#telemetry/logs/line_key'
import type { LogFilter } from '#telemetry/logs/log_filter'
import type { LogLine } from '#telemetry/logs/log_line'
import type { LogList, LogPage, LogStore, WriteOptions } from '#telemetry/logs/log_store'
import type { StreamedRecord } from '#auth/record_stream'
import { logMetrics } from '#telemetry/logs/metrics'
import { KnownSearches } from './known_searches.js'
import { Recent } from './recent.js'
import { Ring, type RingLimits } from './ring.js'
import { searchFor } from './search.js'
import type { Shelf } from './shelf.js'

/** The bus delivers a line once more while it is under way, so not after so many others. */
const LINES_REMEMBERED = 8_192
const SHARE_OF_SEARCHES = 64

/**
 * Keeps the newest lines in the memory of this process.
 */
export class MemoryLogStore implements LogStore {
  readonly #ring: Ring
  readonly #known: KnownSearches
  /** Of this store and no other: cursors of one that was here before stand for its beginning. */
  readonly #name = newId()
  readonly #remembered = new Recent(LINES_REMEMBERED)
  readonly #waiting = new Set<() => void>()

  constructor({ lines, bytes }: RingLimits) {
    const forSearches = Math.ceil(bytes / SHARE_OF_SEARCHES)
    this.#ring = new Ring({ lines, bytes: bytes - forSearches })
    this.#known = new KnownSearches(this.#ring, forSearches)
  }

  get count(): number {
    return this.#ring.count
  }

  get bytes(): number {
    return this.#ring.bytes + this.#known.bytes
  }

  async write(lines: readonly LogLine[], { again = false }: WriteOptions = {}): Promise<void> {
    let dropped = 0
    for (const line of lines) {
      const isNew = this.#remembered.add(uniqueOf(line.key))
      if (isNew || !again) {
        dropped += this.#ring.add(line)
      }
    }
    logMetrics.written('memory', lines.length)
    logMetrics.dropped('memory', dropped)
    this.#waiting.forEach((wake) => wake())
  }

  async list(filter: LogFilter, page: LogPage): Promise<LogList> {
    return this.#known.list(filter, page)
  }

  async remove(filter: LogFilter): Promise<void> {
    for (const { shelf, lines } of this.#find(filter)) {
      lines.forEach((line) => this.#ring.remove(shelf, line))
    }
    this.#ring.tidyUp()
    this.#known.forget()
  }

  async *tail(
    filter: LogFilter,
    signal: AbortSignal,
    after?: string
  ): AsyncGenerator<StreamedRecord> {
    let next = this.#numberAfter(after)
    const wakeAll = () => this.#waiting.forEach((wake) => wake())
    signal.addEventListener('abort', wakeAll, { once: true })
    while (!signal.aborted) {
      const found = [...this.#find(filter, next)].flatMap(({ shelf: { block }, lines }) =>
        lines.map((line) => ({ number: block.first + line, record: block.textOf(line) }))
      )
      next = this.#ring.next
      for (const { number, record } of found) {
        yield { record, cursor: `${this.#name}.${number}` }
      }
      if (next === this.#ring.next && !signal.aborted) {
        await this.#nextWrite()
      }
    }
    signal.removeEventListener('abort', wakeAll)
  }

  async findDeletionProblem(): Promise<undefined> {}

  async close(): Promise<void> {}

  /** Lines that are meant, from a number on: shelf by shelf, the oldest first. */
  *#find(filter: LogFilter, from = 0): Generator<{ shelf: Shelf; lines: number[] }> {
    const search = searchFor(filter)
    for (const shelf of this.#ring.from(from)) {
      const { first } = shelf.block
      const lines = [...search(shelf.block)].filter(
        (line) => shelf.has(line) && first + line >= from
      )
      if (lines.length > 0) {
        yield { shelf, lines }
      }
    }
  }

  #numberAfter(cursor: string | undefined): number {
    if (cursor === undefined) {
      return this.#ring.next
    }
    const [name, number] = cursor.split('.')
    return name === this.#name && /^\d+$/.test(number ?? '') ? Number(number) + 1 : 0
  }

  #nextWrite(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.add(resolve)
    return promise.finally(() => this.#waiting.delete(resolve))
  }
}
