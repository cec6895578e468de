import type { LogLine } from '#telemetry/logs/log_line'
import { GrowingBlock } from './growing_block.js'
import { SealedBlock } from './sealed_block.js'
import { MOST_LINES, Shelf } from './shelf.js'

export interface RingLimits {
  readonly lines: number
  readonly bytes: number
}

const LARGEST_BLOCK = { lines: MOST_LINES, bytes: 8 * 1024 ** 2 }
/** While a block is sealed it is there twice, so it is a small part of the whole. */
const SHARE_OF_BLOCK = 16

/**
 * The newest lines, as many as there is room for. The oldest make room for those that come in: one by one where there are too
 * many, a block at a time where they take too much.
 */
export class Ring {
  readonly #limits: RingLimits
  readonly #blockLimits: RingLimits
  readonly #shelves: Shelf[]
  #growing: GrowingBlock
  #sealedBytes = 0
  #count = 0

  constructor(limits: RingLimits) {
    this.#limits = limits
    const { lines, bytes } = LARGEST_BLOCK
    this.#blockLimits = { lines, bytes: Math.min(bytes, limits.bytes / SHARE_OF_BLOCK) }
    this.#growing = new GrowingBlock(0)
    this.#shelves = [new Shelf(this.#growing)]
  }

  get count(): number {
    return this.#count
  }

  get bytes(): number {
    return this.#sealedBytes + this.#growing.bytes
  }

  /** The number that the next line gets. */
  get next(): number {
    return this.#growing.first + this.#growing.count
  }

  /** Answers how many lines had to go. */
  add(line: LogLine): number {
    this.#growing.add(line)
    this.#count++
    const { count, bytes } = this.#growing
    if (count >= this.#blockLimits.lines || bytes >= this.#blockLimits.bytes) {
      this.#seal()
    }
    return this.#makeRoom()
  }

  /** The shelves with lines from this number on, the oldest first. */
  *from(number = 0): Generator<Shelf> {
    for (let index = this.#indexOf(number); index < this.#shelves.length; index++) {
      yield this.#shelves[index]!
    }
  }

  /** Whether the line with this number, which was there once, still is. */
  has(number: number): boolean {
    const shelf = this.#shelves[this.#indexOf(number)]!
    const line = number - shelf.block.first
    return line >= 0 && line < shelf.block.count && shelf.has(line)
  }

  /** The record of a line that is there. */
  textOf(number: number): string {
    const { block } = this.#shelves[this.#indexOf(number)]!
    return block.textOf(number - block.first)
  }

  remove(shelf: Shelf, line: number): void {
    if (shelf.remove(line)) {
      this.#count--
    }
  }

  /** Gives back the room of what is wholly removed. */
  tidyUp(): void {
    for (const shelf of this.#shelves.filter(({ left }) => left === 0)) {
      this.#drop(shelf)
    }
  }

  /** The last shelf that begins with this number or before; the first one where none does. */
  #indexOf(number: number): number {
    let low = 0
    let high = this.#shelves.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.#shelves[middle]!.block.first <= number) {
        low = middle
      } else {
        high = middle - 1
      }
    }
    return low
  }

  #seal(): void {
    const sealed = new SealedBlock(this.#growing)
    this.#shelves.at(-1)!.replace(sealed)
    this.#sealedBytes += sealed.bytes
    this.#growing = new GrowingBlock(sealed.first + sealed.count)
    this.#shelves.push(new Shelf(this.#growing))
  }

  #makeRoom(): number {
    const before = this.#count
    while (this.bytes > this.#limits.bytes && this.#shelves.length > 1) {
      this.#drop(this.#shelves[0]!)
    }
    while (this.#count > this.#limits.lines) {
      const oldest = this.#shelves[0]!
      oldest.removeOldest()
      this.#count--
      if (oldest.left === 0) {
        this.#drop(oldest)
      }
    }
    return before - this.#count
  }

  #drop(shelf: Shelf): void {
    if (shelf.block === this.#growing) {
      return
    }
    this.#shelves.splice(this.#shelves.indexOf(shelf), 1)
    this.#sealedBytes -= shelf.block.bytes
    this.#count -= shelf.left
  }
}
