import { closeSync, openSync, writeSync } from 'node:fs'

import { AdoptionRefused } from './adoption_refused.js'

const BUFFERED_LINES = 1_000

/** Every row that a run names, a line each: table, problem and ID. Exists only if there is one. */
export class ReportFile {
  readonly #path: string
  #descriptor: number | undefined
  #lines: string[] = []

  constructor(path: string) {
    this.#path = path
  }

  /** The path of the file, if it exists. */
  get path(): string | undefined {
    return this.#descriptor === undefined ? undefined : this.#path
  }

  add(table: string, problem: string, id: string): void {
    this.#descriptor ??= this.#open()
    this.#lines.push(`${[table, problem, id].map(printable).join('\t')}\n`)
    if (this.#lines.length >= BUFFERED_LINES) {
      this.#flush()
    }
  }

  close(): void {
    if (this.#descriptor !== undefined) {
      this.#flush()
      closeSync(this.#descriptor)
    }
  }

  /** An existing file is never overwritten. */
  #open(): number {
    try {
      return openSync(this.#path, 'wx', 0o600)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      throw new AdoptionRefused(
        `The report cannot be written to ${this.#path} (${code}): pass --report with the path of a new file`,
        { cause: error }
      )
    }
  }

  #flush(): void {
    writeSync(this.#descriptor!, this.#lines.join(''))
    this.#lines = []
  }
}

/** Removes control characters, since the values come from others. */
const printable = (text: string) => text.replaceAll(/[^\x20-\x7e]/g, '?')
