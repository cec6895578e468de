import { setImmediate, setTimeout as delay } from 'node:timers/promises'

import { LineSplitter } from './line_splitter.js'

export interface OutputPace {
  readonly windowMs: number
  /** Beyond so many bytes in a window, the program waits until its pipe is read again. */
  readonly bytes: number
  /** Beyond so many lines in a window, further ones are counted only. */
  readonly lines: number
  /** What is split before the loop goes on with other work. */
  readonly sliceBytes: number
  /** The end of what was dropped is kept: it says why a program failed. */
  readonly tailBytes: number
}

export const OUTPUT_PACE: OutputPace = {
  windowMs: 1_000,
  bytes: 16 * 1024 ** 2,
  lines: 10_000,
  sliceBytes: 4 * 1024,
  tailBytes: 64 * 1024,
}

const LINE_BREAK = 0x0a

/** Reads the lines of a program at a pace that leaves the loop to others, however it writes them. */
export class PacedLines {
  readonly #onLine: (line: string) => void
  readonly #pace: OutputPace
  readonly #splitter: LineSplitter
  #windowStart = performance.now()
  #bytes = 0
  #lines = 0
  #dropped = 0
  /** The end of what was dropped in this window. */
  #tail: Buffer | undefined

  constructor(onLine: (line: string) => void, pace = OUTPUT_PACE) {
    this.#onLine = onLine
    this.#pace = pace
    this.#splitter = new LineSplitter((line) => {
      this.#lines += 1
      onLine(line)
    })
  }

  /** Returns when the source has ended, or failed. */
  async readAll(source: AsyncIterable<Buffer>): Promise<void> {
    try {
      for await (const chunk of source) {
        await this.#makeRoom()
        this.#bytes += chunk.length
        await this.#take(chunk)
      }
    } catch {
      // What was read before counts.
    }
    await this.#releaseTail()
    this.#splitter.end()
  }

  async #makeRoom(): Promise<void> {
    const left = this.#windowStart + this.#pace.windowMs - performance.now()
    if (left > 0 && this.#bytes < this.#pace.bytes) {
      return
    }
    // The program keeps this process running, not the pause.
    await delay(Math.max(0, left), undefined, { ref: false })
    this.#windowStart = performance.now()
    this.#bytes = 0
    await this.#releaseTail()
    this.#lines = 0
  }

  async #take(chunk: Buffer): Promise<void> {
    for (let at = 0; at < chunk.length; at += this.#pace.sliceBytes) {
      if (this.#lines >= this.#pace.lines) {
        this.#drop(chunk.subarray(at))
        return
      }
      this.#splitter.write(chunk.subarray(at, at + this.#pace.sliceBytes))
      await setImmediate()
    }
  }

  #drop(bytes: Buffer): void {
    if (!this.#tail) {
      this.#splitter.end()
    }
    this.#dropped += lineBreaksIn(bytes)
    this.#tail = Buffer.concat([this.#tail ?? Buffer.alloc(0), bytes]).subarray(
      -this.#pace.tailBytes
    )
  }

  /** Hands on the whole lines at the end of what was dropped, after the number of those before. */
  async #releaseTail(): Promise<void> {
    const tail = this.#tail
    if (!tail) {
      return
    }
    const whole = tail.subarray(tail.indexOf(LINE_BREAK) + 1)
    this.#onLine(`… ${this.#dropped - lineBreaksIn(whole)} lines dropped …`)
    this.#tail = undefined
    this.#dropped = 0
    for (let at = 0; at < whole.length; at += this.#pace.sliceBytes) {
      this.#splitter.write(whole.subarray(at, at + this.#pace.sliceBytes))
      await setImmediate()
    }
  }
}

function lineBreaksIn(bytes: Buffer): number {
  let count = 0
  for (const byte of bytes) {
    count += byte === LINE_BREAK ? 1 : 0
  }
  return count
}
