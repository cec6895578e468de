import { NO_LINES, type Block, type Lines } from './block.js'
import type { GrowingBlock } from './growing_block.js'
import { BETWEEN, hashOf, type Term } from './term.js'

/** The object itself, and those that hold its bytes. */
const OWN_BYTES = 1_024

/**
 * Lines that no others are added to: bytes, and numbers that say where in them something is, so that a million lines are a few
 * hundred objects. Terms are found by way of a hash table with open addressing.
 */
export class SealedBlock implements Block {
  readonly first: number
  readonly count: number
  readonly bytes: number
  readonly #times: Float64Array
  readonly #texts: Buffer
  readonly #textEnds: Uint32Array
  /** Letters of one byte are read at a third of the price. */
  readonly #encoding: 'latin1' | 'utf8'
  readonly #terms: Buffer
  readonly #termEnds: Uint32Array
  readonly #hashes: Uint32Array
  /** The number of a term, one more than it is; 0 where there is none. */
  readonly #slots: Uint32Array
  readonly #lines: Uint16Array
  readonly #lineEnds: Uint32Array

  constructor({ first, count, texts, times, terms }: GrowingBlock) {
    this.first = first
    this.count = count
    this.#times = Float64Array.from(times)
    ;[this.#texts, this.#textEnds] = packed(texts)
    const characters = texts.reduce((sum, { length }) => sum + length, 0)
    this.#encoding = characters === this.#texts.length ? 'latin1' : 'utf8'
    const names = [...terms.keys()]
    ;[this.#terms, this.#termEnds] = packed(names)
    this.#hashes = Uint32Array.from(names, hashOf)
    this.#slots = slotsFor(this.#hashes)
    this.#lineEnds = new Uint32Array(names.length)
    this.#lines = new Uint16Array([...terms.values()].reduce((sum, { length }) => sum + length, 0))
    let end = 0
    let number = 0
    for (const lines of terms.values()) {
      this.#lines.set(lines, end)
      end += lines.length
      this.#lineEnds[number++] = end
    }
    this.bytes = OWN_BYTES + this.#parts.reduce((sum, { byteLength }) => sum + byteLength, 0)
  }

  timeOf(line: number): number {
    return this.#times[line]!
  }

  textOf(line: number): string {
    const start = startOf(this.#textEnds, line)
    return this.#texts.toString(this.#encoding, start, this.#textEnds[line])
  }

  linesWith({ hash, bytes }: Term): Lines {
    const mask = this.#slots.length - 1
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const number = this.#slots[slot]! - 1
      if (number === -1) {
        return NO_LINES
      }
      if (this.#hashes[number] === hash && this.#isTerm(number, bytes)) {
        return this.#linesOf(number)
      }
    }
  }

  *valuesOf(name: string): Iterable<readonly [string, Lines]> {
    const beginning = Buffer.from(name + BETWEEN)
    for (let number = 0; number < this.#termEnds.length; number++) {
      const start = startOf(this.#termEnds, number)
      const end = start + beginning.length
      if (
        end <= this.#termEnds[number]! &&
        this.#terms.compare(beginning, 0, beginning.length, start, end) === 0
      ) {
        yield [this.#terms.toString('utf8', end, this.#termEnds[number]), this.#linesOf(number)]
      }
    }
  }

  get #parts(): readonly { readonly byteLength: number }[] {
    return [
      this.#times,
      this.#texts,
      this.#textEnds,
      this.#terms,
      this.#termEnds,
      this.#hashes,
      this.#slots,
      this.#lines,
      this.#lineEnds,
    ]
  }

  #isTerm(number: number, bytes: Buffer): boolean {
    const start = startOf(this.#termEnds, number)
    const end = this.#termEnds[number]!
    return (
      end - start === bytes.length && this.#terms.compare(bytes, 0, bytes.length, start, end) === 0
    )
  }

  #linesOf(number: number): Lines {
    return this.#lines.subarray(startOf(this.#lineEnds, number), this.#lineEnds[number])
  }
}

function packed(texts: readonly string[]): [Buffer, Uint32Array] {
  const ends = new Uint32Array(texts.length)
  let end = 0
  texts.forEach((text, index) => {
    end += Buffer.byteLength(text)
    ends[index] = end
  })
  const bytes = Buffer.allocUnsafeSlow(end)
  texts.forEach((text, index) => bytes.write(text, startOf(ends, index)))
  return [bytes, ends]
}

function slotsFor(hashes: Uint32Array): Uint32Array {
  const slots = new Uint32Array(2 ** Math.ceil(Math.log2(hashes.length * 2 + 1)))
  const mask = slots.length - 1
  hashes.forEach((hash, number) => {
    let slot = hash & mask
    while (slots[slot] !== 0) {
      slot = (slot + 1) & mask
    }
    slots[slot] = number + 1
  })
  return slots
}

function startOf(ends: Uint32Array, index: number): number {
  return index === 0 ? 0 : ends[index - 1]!
}
