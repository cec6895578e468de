import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'

import { markAllReleasable } from '#kernel/chunk_memory'

/** A file, and how many bytes it should have. */
export interface SmallFile {
  readonly path: string
  readonly size: number
}

/** Lists of plain values, which are passed on in a fifth of the time of one of objects. */
export interface ReadRequest {
  readonly id: number
  readonly paths: readonly string[]
  readonly sizes: readonly number[]
}

export interface ReadResponse {
  readonly id: number
  /** With room for one byte more of each file than it should have. */
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly lengths: readonly (number | undefined)[]
}

const PROGRAM = new URL(`./reading_program${extname(import.meta.url)}`, import.meta.url)

/** Longer than it takes the thread to start, and little for those who wait for a disk that hangs. */
const TIMEOUT_MS = 2_000

/**
 * Has many small files read by a thread beside this one, which is started when it is first needed and keeps no process alive. It reads
 * what it can read quickly: whoever asks reads the rest, and everything while the thread waits for a disk that does not answer.
 */
export class ReadingThread {
  readonly #pending = new Map<number, (response?: ReadResponse) => void>()
  #worker: Worker | undefined
  #lastId = 0
  #isStuck = false
  #isClosed = false

  /** The bytes of each file, up to one more than it should have; undefined for what was not read. */
  async read(files: readonly SmallFile[]): Promise<readonly (Buffer | undefined)[]> {
    const response = this.#isStuck || this.#isClosed ? undefined : await this.#request(files)
    let from = 0
    const read = files.map(({ size }, n) => {
      const length = response?.lengths[n]
      const start = from
      from += size + 1
      return length === undefined ? undefined : Buffer.from(response!.bytes.buffer, start, length)
    })
    markAllReleasable(read.filter((bytes) => bytes !== undefined))
    return read
  }

  close(): void {
    this.#isClosed = true
    void this.#worker?.terminate()
  }

  #request(files: readonly SmallFile[]): Promise<ReadResponse | undefined> {
    const id = this.#lastId++
    this.#worker ??= this.#start()
    const paths = files.map(({ path }) => path)
    const sizes = files.map(({ size }) => size)
    this.#worker.postMessage({ id, paths, sizes } satisfies ReadRequest)
    return new Promise((resolve) => {
      // It also keeps the process until the answer is there, which the thread does not.
      const timeout = setTimeout(() => {
        this.#isStuck = true
        this.#settle(id)
      }, TIMEOUT_MS)
      this.#pending.set(id, (response) => {
        clearTimeout(timeout)
        resolve(response)
      })
    })
  }

  #start(): Worker {
    const worker = new Worker(PROGRAM, { name: 'small files', execArgv: [], env: {} })
    worker.on('message', (response: ReadResponse) => {
      this.#isStuck = false
      this.#settle(response.id, response)
    })
    // One that fails exits.
    worker.on('error', () => {})
    worker.once('exit', () => this.#onExit())
    worker.unref()
    return worker
  }

  #settle(id: number, response?: ReadResponse): void {
    this.#pending.get(id)?.(response)
    this.#pending.delete(id)
  }

  #onExit(): void {
    this.#worker = undefined
    this.#isStuck = false
    for (const id of this.#pending.keys()) {
      this.#settle(id)
    }
  }
}
