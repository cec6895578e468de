import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'

import { markAllReleasable } from '#kernel/chunk_memory'

/** A file, and how many bytes it should have. */
export interface SmallFile {
  readonly path: string
  readonly size: number
}

/** Lists of plain values, which are passed on in a fifth of the time of one of objects. */
export interface Asked {
  readonly id: number
  readonly paths: readonly string[]
  readonly sizes: readonly number[]
}

export interface Answered {
  readonly id: number
  /** With room for one byte more of each file than it should have. */
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly lengths: readonly (number | undefined)[]
}

const PROGRAM = new URL(`./reading_program${extname(import.meta.url)}`, import.meta.url)

/** Longer than it takes the thread to start, and little for those who wait for a disk that hangs. */
const PATIENCE_MS = 2_000

/**
 * Has many small files read by a thread beside this one, which is started when it is first needed and keeps no process alive. It reads
 * what it can read quickly: whoever asks reads the rest, and everything while the thread waits for a disk that does not answer.
 */
export class ReadingThread {
  readonly #waiting = new Map<number, (answered?: Answered) => void>()
  #worker: Worker | undefined
  #asked = 0
  #isStuck = false
  #isClosed = false

  /** The bytes of each file, up to one more than it should have; undefined for what was not read. */
  async read(files: readonly SmallFile[]): Promise<readonly (Buffer | undefined)[]> {
    const answered = this.#isStuck || this.#isClosed ? undefined : await this.#ask(files)
    let from = 0
    const read = files.map(({ size }, n) => {
      const length = answered?.lengths[n]
      const start = from
      from += size + 1
      return length === undefined ? undefined : Buffer.from(answered!.bytes.buffer, start, length)
    })
    markAllReleasable(read.filter((bytes) => bytes !== undefined))
    return read
  }

  close(): void {
    this.#isClosed = true
    void this.#worker?.terminate()
  }

  #ask(files: readonly SmallFile[]): Promise<Answered | undefined> {
    const id = this.#asked++
    this.#worker ??= this.#start()
    const paths = files.map(({ path }) => path)
    const sizes = files.map(({ size }) => size)
    this.#worker.postMessage({ id, paths, sizes } satisfies Asked)
    return new Promise((resolve) => {
      // It also keeps the process until the answer is there, which the thread does not.
      const patience = setTimeout(() => {
        this.#isStuck = true
        this.#settle(id)
      }, PATIENCE_MS)
      this.#waiting.set(id, (answered) => {
        clearTimeout(patience)
        resolve(answered)
      })
    })
  }

  #start(): Worker {
    const worker = new Worker(PROGRAM, { name: 'small files', execArgv: [], env: {} })
    worker.on('message', (answered: Answered) => {
      this.#isStuck = false
      this.#settle(answered.id, answered)
    })
    // One that fails exits.
    worker.on('error', () => {})
    worker.once('exit', () => this.#lose())
    worker.unref()
    return worker
  }

  #settle(id: number, answered?: Answered): void {
    this.#waiting.get(id)?.(answered)
    this.#waiting.delete(id)
  }

  #lose(): void {
    this.#worker = undefined
    this.#isStuck = false
    for (const id of this.#waiting.keys()) {
      this.#settle(id)
    }
  }
}
