import { destination } from '@adonisjs/core/logger'

/** Levels of the log by their numbers in its lines. */
export const LEVEL_NUMBERS = {
  trace: 10,
  debug: 20,
  info: 30,
  warn: 40,
  error: 50,
  fatal: 60,
} as const

/** Has the logger say the level of each line beside it, so that a line need not be read for that. */
const NEEDS_METADATA = Symbol.for('pino.metadata')

/** Lines from before somebody listens, such as those of the start. */
const BUFFERED_LINES = 500

export type LineListener = (line: string) => void

/**
 * Where the log is written: to the standard output, and to whoever listens to its more important lines. What is a secret has been
 * blackened by then.
 */
export class LogTap {
  readonly [NEEDS_METADATA] = true
  /** Set by the logger. */
  lastLevel = 0
  readonly #output: { write(line: string): unknown }
  readonly #threshold: number
  readonly #buffered: string[] = []
  #listener: LineListener | undefined

  constructor(threshold: number, output: { write(line: string): unknown } = destination(1)) {
    this.#threshold = threshold
    this.#output = output
  }

  write(line: string): void {
    this.#output.write(line)
    if (this.lastLevel < this.#threshold) {
      return
    }
    if (this.#listener) {
      this.#listener(line)
    } else if (this.#buffered.length < BUFFERED_LINES) {
      this.#buffered.push(line)
    }
  }

  /** Hands each line to a function until the returned one is called, beginning with those it remembers. */
  listen(listener: LineListener): () => void {
    this.#listener = listener
    this.#buffered.splice(0).forEach(listener)
    return () => {
      this.#listener = undefined
    }
  }
}
