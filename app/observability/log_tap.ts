/** The numbers of log levels. */
export const LEVEL_NUMBERS = {
  trace: 10,
  debug: 20,
  info: 30,
  warn: 40,
  error: 50,
  fatal: 60,
} as const

/** Makes the logger set the level of each line, so that lines need not be parsed. */
const NEEDS_METADATA = Symbol.for('pino.metadata')

/** Lines buffered until a listener is set, such as those of the start. */
const BUFFERED_LINES = 500

export type LineListener = (line: string) => void

/** Writes log lines to an output and passes those above a threshold to a listener. Secrets are redacted. */
export class LogTap {
  readonly [NEEDS_METADATA] = true
  /** Set by the logger. */
  lastLevel = 0
  readonly #output: { write(line: string): unknown }
  readonly #threshold: number
  readonly #buffered: string[] = []
  #listener: LineListener | undefined

  constructor(threshold: number, output: { write(line: string): unknown }) {
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

  /** Passes buffered and new lines to a listener; the returned function stops it. */
  listen(listener: LineListener): () => void {
    this.#listener = listener
    this.#buffered.splice(0).forEach(listener)
    return () => {
      this.#listener = undefined
    }
  }
}
