import type { Readable } from 'node:stream'

import type { TarEntry, TarRun } from './tar_entry.js'

interface OpenedEntry {
  readonly entry: TarEntry
  readonly bytes: Promise<Readable>
}

interface ReadRun {
  readonly run: TarRun
  readonly contents: Promise<readonly (Buffer | Error)[]>
}

type PrefetchedObject = OpenedEntry | ReadRun

const MAX_AHEAD_OBJECTS = 8

/**
 * Objects are opened when at most this many bytes precede them: enough to hide the latency, and few enough that the
 * store does not time out on a slow reader.
 */
const MAX_AHEAD_BYTES = 1024 ** 2

/** Opens the objects of a tar shortly before they are needed, and reads runs of small ones. */
export class ObjectPrefetcher {
  readonly #entries: AsyncIterator<TarEntry | TarRun>
  readonly #queue: PrefetchedObject[] = []
  #filling: Promise<void> | undefined
  #isEnded = false
  #bytesBefore = 0

  constructor(entries: AsyncIterable<TarEntry | TarRun>) {
    this.#entries = entries[Symbol.asyncIterator]()
  }

  /** The next object; undefined at the end. */
  async next(): Promise<PrefetchedObject | undefined> {
    this.prefetch(0)
    if (this.#queue.length === 0) {
      await this.#filling
    }
    return this.#queue.shift()
  }

  /** Opens the objects that are due while the given number of bytes of the current one remain. */
  prefetch(remainingBytes: number): void {
    this.#bytesBefore = remainingBytes
    if (this.#filling || this.#isEnded || !this.#isDue()) {
      return
    }
    const filling = this.#fill().then(() => void (this.#filling = undefined))
    filling.catch(() => {})
    this.#filling = filling
  }

  /** Closes opened objects that were not used. */
  async close(): Promise<void> {
    this.#isEnded = true
    await this.#filling?.catch(() => {})
    await this.#entries.return?.()
    for (const opened of this.#queue) {
      if ('bytes' in opened) {
        void opened.bytes.then(
          (stream) => stream.destroy(),
          () => {}
        )
      }
    }
  }

  async #fill(): Promise<void> {
    do {
      const { done, value } = await this.#entries.next()
      if (done) {
        this.#isEnded = true
      } else {
        this.#queue.push('files' in value ? startReading(value) : startOpening(value))
      }
    } while (!this.#isEnded && this.#isDue())
  }

  #isDue(): boolean {
    const sizes = this.#queue.reduce((sum, opened) => sum + sizeOf(opened), 0)
    return this.#queue.length < MAX_AHEAD_OBJECTS && this.#bytesBefore + sizes < MAX_AHEAD_BYTES
  }
}

function startOpening(entry: TarEntry): OpenedEntry {
  const bytes = entry.open()
  // Errors before its turn are thrown to the reader later; unhandled ones would end the process.
  bytes.then(
    (stream) => stream.on('error', () => {}),
    () => {}
  )
  return { entry, bytes }
}

function startReading(run: TarRun): ReadRun {
  const contents = run.read()
  contents.catch(() => {})
  return { run, contents }
}

function sizeOf(opened: PrefetchedObject): number {
  return 'entry' in opened
    ? (opened.entry.size ?? 0)
    : opened.run.files.reduce((sum, { size }) => sum + size, 0)
}
