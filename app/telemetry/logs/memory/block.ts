import type { Term } from './term.js'

/** Lines of a block by their place in it, in ascending order. */
export type Lines = readonly number[] | Uint16Array

/**
 * Lines that came in one after the other, with what finds them by label. The newest block grows, all others are sealed.
 */
export interface Block {
  /** The number of its first line among all that ever came in. */
  readonly first: number
  readonly count: number
  /** What it takes of the memory. */
  readonly bytes: number
  timeOf(line: number): number
  textOf(line: number): string
  /** The lines with a label of this value. */
  linesWith(term: Term): Lines
  /** The lines with a label of this name, by its values. */
  valuesOf(name: string): Iterable<readonly [value: string, lines: Lines]>
}

export const NO_LINES: Lines = []

export function includesLine(lines: Lines, line: number): boolean {
  let low = 0
  let high = lines.length - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    const found = lines[middle]!
    if (found === line) {
      return true
    }
    if (found < line) {
      low = middle + 1
    } else {
      high = middle - 1
    }
  }
  return false
}
