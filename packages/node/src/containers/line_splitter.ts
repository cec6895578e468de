import { StringDecoder } from 'node:string_decoder'

const MAX_LINE_LENGTH = 16 * 1024

/** Splits text into lines. A last line without a line break is returned at the end. */
export class LineSplitter {
  readonly #onLine: (line: string) => void
  readonly #decoder = new StringDecoder()
  #rest = ''

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine
  }

  write(chunk: Buffer): void {
    const [first = '', ...others] = this.#decoder.write(chunk).split('\n')
    this.#rest += first
    for (const line of others) {
      this.#flush()
      this.#rest = line
    }
    while (this.#rest.length > MAX_LINE_LENGTH) {
      this.#onLine(this.#rest.slice(0, MAX_LINE_LENGTH))
      this.#rest = this.#rest.slice(MAX_LINE_LENGTH)
    }
  }

  end(): void {
    this.#rest += this.#decoder.end()
    if (this.#rest !== '') {
      this.#flush()
      this.#rest = ''
    }
  }

  #flush(): void {
    for (let at = 0; at === 0 || at < this.#rest.length; at += MAX_LINE_LENGTH) {
      this.#onLine(this.#rest.slice(at, at + MAX_LINE_LENGTH).replace(/\r$/, ''))
    }
  }
}
