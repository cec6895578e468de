import { realmsText } from '#telemetry/logs/owner_fields'
import type { OwnedRecord } from '#telemetry/logs/log_line'

export interface LineRingLimits {
  readonly lines: number
  readonly bytes: number
}

/** A line with its number among all lines that ever arrived. */
export interface NumberedLine {
  readonly number: number
  readonly time: number
  readonly record: OwnedRecord
  readonly bytes: number
}

/** The overhead of the objects of a line, measured and rounded up. */
const PER_LINE = 320
const PER_LABEL = 64

/** The newest lines within limits of their number and size. New lines replace the oldest. */
export class LineRing {
  readonly #limits: LineRingLimits
  /** Dropped lines are undefined, up to the start. */
  #lines: (NumberedLine | undefined)[] = []
  #start = 0
  #next = 0
  #bytes = 0

  constructor(limits: LineRingLimits) {
    this.#limits = limits
  }

  get count(): number {
    return this.#lines.length - this.#start
  }

  get bytes(): number {
    return this.#bytes
  }

  /** The number of the next line. */
  get next(): number {
    return this.#next
  }

  /** Adds a line; returns how many were dropped for it. */
  add(record: OwnedRecord): number {
    const bytes = bytesOf(record)
    this.#lines.push({ number: this.#next++, time: Date.parse(record.time), record, bytes })
    this.#bytes += bytes
    const { lines, bytes: maxBytes } = this.#limits
    let dropped = 0
    while (this.count > lines || (this.#bytes > maxBytes && this.count > 1)) {
      this.#dropOldest()
      dropped++
    }
    return dropped
  }

  /** The lines that match, in order of arrival. */
  filter(isMatch: (record: OwnedRecord) => boolean): NumberedLine[] {
    return this.#all().filter(({ record }) => isMatch(record))
  }

  /** The lines from a number on, in order of arrival. */
  from(number: number): NumberedLine[] {
    let index = this.#lines.length
    while (index > this.#start && this.#lines[index - 1]!.number >= number) {
      index--
    }
    return this.#lines.slice(index) as NumberedLine[]
  }

  remove(isMatch: (record: OwnedRecord) => boolean): void {
    const lines = this.#all().filter(({ record }) => !isMatch(record))
    this.#lines = lines
    this.#bytes = lines.reduce((sum, { bytes }) => sum + bytes, 0)
  }

  #dropOldest(): void {
    this.#bytes -= this.#lines[this.#start]!.bytes
    this.#lines[this.#start++] = undefined
    if (this.#start * 2 > this.#lines.length) {
      this.#all()
    }
  }

  /** All lines, after removing dropped ones from the array. */
  #all(): NumberedLine[] {
    if (this.#start > 0) {
      this.#lines = this.#lines.slice(this.#start)
      this.#start = 0
    }
    return this.#lines as NumberedLine[]
  }
}

function bytesOf({ message, service, labels, owner }: OwnedRecord): number {
  return Object.entries(labels).reduce(
    (sum, [name, value]) => sum + PER_LABEL + bytesIn(name) + bytesIn(value),
    PER_LINE + bytesIn(message) + bytesIn(service) + bytesIn(realmsText(owner))
  )
}

/** Strings take one byte per character, or two if any character requires it. */
function bytesIn(text: string): number {
  return Buffer.byteLength(text) === text.length ? text.length : 2 * text.length
}
