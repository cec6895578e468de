import type { LogFilter } from '#telemetry/logs/log_filter'
import type { LogList, LogPage } from '#telemetry/logs/log_store'
import type { Block, Lines } from './block.js'
import type { Ring } from './ring.js'
import { searchFor } from './search.js'

/** What the number and the time of a line take while lists of them grow. */
const PER_LINE = 32
const PER_CHARACTER = 4
/** Of a page that is kept as it was shown. */
const LONGEST_PAGE = 64 * 1024

/**
 * The lines that a filter means, by their numbers and times in the order in which they came in. A second look only looks at
 * what came in since the first.
 */
export class KnownSearch {
  readonly #search: (block: Block) => Lines
  readonly #ring: Ring
  #numbers: number[] = []
  #times: number[] = []
  /** Lines before this one have made room since they were found. */
  #start = 0
  /** Lines from this number on were not looked at yet. */
  #next = 0
  #isOrdered = true
  #shown: { page: LogPage; found: LogList; characters: number } | undefined

  constructor(ring: Ring, filter: LogFilter) {
    this.#ring = ring
    this.#search = searchFor(filter)
  }

  get bytes(): number {
    return this.#numbers.length * PER_LINE + (this.#shown?.characters ?? 0) * PER_CHARACTER
  }

  /** A page of the records. Those of one time stand as they came in. */
  list(page: LogPage): LogList {
    this.#forgetGone()
    this.#lookAtNew()
    if (this.#shown && isSame(this.#shown.page, page)) {
      return this.#shown.found
    }
    const found = { records: this.#records(page), total: this.#numbers.length - this.#start }
    const characters = found.records.reduce((sum, { length }) => sum + length, 0)
    this.#shown = characters <= LONGEST_PAGE ? { page, found, characters } : undefined
    return found
  }

  #records({ limit, offset, oldestFirst = false }: LogPage): string[] {
    const order = this.#isOrdered ? undefined : this.#order()
    const size = this.#numbers.length - this.#start
    return Array.from({ length: Math.max(0, Math.min(limit, size - offset)) }, (_, index) => {
      const place = oldestFirst ? offset + index : size - 1 - offset - index
      return this.#ring.textOf(this.#numbers[order ? order[place]! : this.#start + place]!)
    })
  }

  /** What is removed for other reasons than room ends the whole search. */
  #forgetGone(): void {
    const before = this.#start
    while (this.#start < this.#numbers.length && !this.#ring.has(this.#numbers[this.#start]!)) {
      this.#start++
    }
    if (this.#start > before) {
      this.#shown = undefined
    }
    if (this.#start * 2 > this.#numbers.length) {
      this.#numbers = this.#numbers.slice(this.#start)
      this.#times = this.#times.slice(this.#start)
      this.#start = 0
    }
  }

  #lookAtNew(): void {
    for (const shelf of this.#ring.from(this.#next)) {
      const { block } = shelf
      for (const line of this.#search(block)) {
        if (block.first + line >= this.#next && shelf.has(line)) {
          this.#add(block.first + line, block.timeOf(line))
        }
      }
    }
    this.#next = this.#ring.next
  }

  #add(number: number, time: number): void {
    this.#shown = undefined
    this.#isOrdered &&= this.#times.length === 0 || time >= this.#times.at(-1)!
    this.#numbers.push(number)
    this.#times.push(time)
  }

  #order(): Uint32Array {
    const size = this.#numbers.length - this.#start
    const order = Uint32Array.from({ length: size }, (_, index) => this.#start + index)
    return order.sort((one, other) => this.#times[one]! - this.#times[other]! || one - other)
  }
}

function isSame(one: LogPage, other: LogPage): boolean {
  return (
    one.limit === other.limit &&
    one.offset === other.offset &&
    (one.oldestFirst ?? false) === (other.oldestFirst ?? false)
  )
}
