import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'

import { markAllReleasable } from '#kernel/chunk_memory'

/** A file and its expected size. */
export interface SmallFile {
  readonly path: string
  readonly size: number
}

/** Arrays of plain values are transferred in a fifth of the time of an array of objects. */
export interface ReadRequest {
  readonly id: number
  readonly paths: readonly string[]
  readonly sizes: readonly number[]
}

export interface ReadResponse {
  readonly id: number
  /** Each file has room for one byte more than expected. */
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly lengths: readonly (number | undefined)[]
}

const PROGRAM = new URL(`./reading_program${extname(import.meta.url)}`, import.meta.url)

/** Longer than the start of the thread, and short for readers of a disk that hangs. */
const TIMEOUT_MS = 2_000

/**
 * Reads many small files in a worker thread, which starts on demand and does not keep the process alive. It skips
 * what takes too long; the caller reads the rest, and everything while the thread is blocked by the disk.
 */
export class ReadingThread {
  readonly #program: URL
  readonly #pending = new Map<number, (response?: ReadResponse) => void>()
  #worker: Worker | undefined
  #lastId = 0
  #isStuck = false
  #isClosed = false

  constructor(program = PROGRAM) {
    this.#program = program
  }

  /** The content of each file, up to one byte more than expected; undefined for files that were not read. */
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
      // The timer also keeps the process alive until the response arrives.
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
    const worker = new Worker(this.#program, { name: 'small files', execArgv: [], env: {} })
    worker.on('message', (response: ReadResponse) => {
      this.#isStuck = false
      this.#settle(response.id, response)
    })
    // A worker that fails also exits.
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
