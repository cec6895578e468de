import type { Block } from './block.js'

/** No block has more lines. */
export const MOST_LINES = 4_096

/** A block with what is left of its lines: those that had to go, or were removed, are gone for whoever looks. */
export class Shelf {
  #block: Block
  #gone: Uint8Array | undefined
  #goneLines = 0
  /** No line before this one is left. */
  #oldest = 0

  constructor(block: Block) {
    this.#block = block
  }

  get block(): Block {
    return this.#block
  }

  get left(): number {
    return this.#block.count - this.#goneLines
  }

  has(line: number): boolean {
    return this.#gone?.[line] !== 1
  }

  /** Answers false for a line that was gone already. */
  remove(line: number): boolean {
    if (!this.has(line)) {
      return false
    }
    this.#gone ??= new Uint8Array(MOST_LINES)
    this.#gone[line] = 1
    this.#goneLines++
    return true
  }

  removeOldest(): void {
    while (!this.remove(this.#oldest)) {
      this.#oldest++
    }
  }

  /** The same lines in another form. */
  replace(block: Block): void {
    this.#block = block
  }
}
