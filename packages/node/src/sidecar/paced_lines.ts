import { setTimeout as delay } from 'node:timers/promises'

import { LineSplitter } from '#node/containers/line_splitter'

export interface OutputPace {
  readonly windowMs: number
  /** The maximum number of bytes in a window; then the pipe is not read until the next one. */
  readonly bytes: number
  /** The maximum number of lines in a window; further ones are only counted. */
  readonly lines: number
  /** Bytes that are split before their lines are emitted. */
  readonly sliceBytes: number
  /** Lines that are emitted at once. */
  readonly batchLines: number
  /** The end of dropped output is buffered, since it may explain a failure. */
  readonly tailBytes: number
  readonly tailLines: number
}

export const OUTPUT_PACE: OutputPace = {
  windowMs: 1_000,
  bytes: 4 * 1024 ** 2,
  lines: 10_000,
  sliceBytes: 16 * 1024,
  batchLines: 1_000,
  tailBytes: 64 * 1024,
  tailLines: 1_000,
}

/** Receives lines in order. Further ones come when it has resolved. */
export type TakeLines = (lines: readonly string[]) => Promise<void>

const LINE_BREAK = 0x0a

/** Reads the lines of a program at a bounded rate. */
export class PacedLines {
  readonly #takeLines: TakeLines
  readonly #pace: OutputPace
  readonly #splitter = new LineSplitter((line) => this.#batch.push(line))
  #batch: string[] = []
  #windowStart = performance.now()
  #bytes = 0
  #lines = 0
  #dropped = 0
  /** The end of what was dropped in this window. */
  #tail: Buffer | undefined

  constructor(takeLines: TakeLines, pace = OUTPUT_PACE) {
    this.#takeLines = takeLines
    this.#pace = pace
  }

  /** Returns when the source has ended or failed, and all lines were emitted. */
  async readAll(source: AsyncIterable<Buffer>): Promise<void> {
    try {
      for await (const chunk of source) {
        await this.#makeRoom()
        this.#bytes += chunk.length
        await this.#split(chunk)
      }
    } catch {
      // What was read before counts.
    }
    await this.#releaseTail()
    this.#splitter.end()
    await this.#handOn()
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

  async #split(bytes: Buffer): Promise<void> {
    for (let at = 0; at < bytes.length; at += this.#pace.sliceBytes) {
      if (this.#lines >= this.#pace.lines) {
        this.#drop(bytes.subarray(at))
        return
      }
      this.#splitter.write(bytes.subarray(at, at + this.#pace.sliceBytes))
      await this.#handOn()
    }
  }

  async #handOn(): Promise<void> {
    const lines = this.#batch
    this.#batch = []
    this.#lines += lines.length
    for (let at = 0; at < lines.length; at += this.#pace.batchLines) {
      await this.#takeLines(lines.slice(at, at + this.#pace.batchLines))
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

  /** Emits the number of dropped lines, then the last complete ones. */
  async #releaseTail(): Promise<void> {
    const tail = this.#tail
    if (!tail) {
      return
    }
    const whole = lastLines(tail.subarray(tail.indexOf(LINE_BREAK) + 1), this.#pace.tailLines)
    this.#batch.push(`… ${this.#dropped - lineBreaksIn(whole)} lines dropped …`)
    this.#tail = undefined
    this.#dropped = 0
    this.#splitter.write(whole)
    await this.#handOn()
  }
}

/** The end of a text with this number of line breaks. */
function lastLines(text: Buffer, count: number): Buffer {
  let start = text.length
  for (let breaks = 0; breaks <= count; breaks += 1) {
    start = text.subarray(0, start).lastIndexOf(LINE_BREAK)
    if (start === -1) {
      return text
    }
  }
  return text.subarray(start + 1)
}

function lineBreaksIn(bytes: Buffer): number {
  let count = 0
  for (const byte of bytes) {
    count += byte === LINE_BREAK ? 1 : 0
  }
  return count
}
