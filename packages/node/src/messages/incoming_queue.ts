import { existsSync } from 'node:fs'
import { readFile, readdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'

import { AutoResetEvent } from '#kernel/auto_reset_event'

import { writeWhole } from '#node/files/write_whole'
import type { QueueLimits } from './queue_limits.js'
import type { ReceivedMessage } from './receiver.js'

/** Messages that arrived together: one file. */
interface Batch {
  readonly path: string
  readonly ids: readonly string[]
  readonly bytes: number
}

const BATCH = /^\d{12}\.json$/
/** A marker file: messages were lost. It survives a restart. */
const OVERFLOW_MARK = 'overflowed'
const IDLE_MS = 60_000

/** The waiting messages of one analysis, in a folder. Only their ids are in memory. */
export class IncomingQueue {
  readonly #folder: string
  readonly #limits: QueueLimits
  readonly #batches: Batch[] = []
  readonly #arrivals = new AutoResetEvent()
  #nextNumber = 1
  #hasOverflowed: boolean

  private constructor(folder: string, limits: QueueLimits) {
    this.#folder = folder
    this.#limits = limits
    this.#hasOverflowed = existsSync(join(folder, OVERFLOW_MARK))
  }

  /** Opens a folder with the messages of a former process. */
  static async open(folder: string, limits: QueueLimits): Promise<IncomingQueue> {
    const queue = new IncomingQueue(folder, limits)
    const names = await readdir(folder)
    for (const name of names.filter((one) => BATCH.test(one)).sort()) {
      const path = join(folder, name)
      const text = await readFile(path, 'utf8')
      queue.#insert(path, text, JSON.parse(text) as ReceivedMessage[])
      queue.#nextNumber = Number(name.slice(0, 12)) + 1
    }
    await Promise.all(
      names.filter((name) => name.endsWith('.draft')).map((name) => unlink(join(folder, name)))
    )
    return queue
  }

  get hasOverflowed(): boolean {
    return this.#hasOverflowed
  }

  /** Skips messages that are present already, since they were not acknowledged before a crash. */
  async add(messages: readonly ReceivedMessage[]): Promise<boolean> {
    const present = new Set(this.#batches.flatMap(({ ids }) => ids))
    const added = messages.filter(({ id }) => !present.has(id))
    if (added.length === 0 || this.#hasOverflowed) {
      return !this.#hasOverflowed
    }
    const text = JSON.stringify(added)
    const bytes = this.#batches.reduce((sum, one) => sum + one.bytes, Buffer.byteLength(text))
    if (present.size + added.length > this.#limits.messages || bytes > this.#limits.bytes) {
      await writeWhole(join(this.#folder, OVERFLOW_MARK), '')
      this.#hasOverflowed = true
      return false
    }
    const path = join(this.#folder, `${String(this.#nextNumber).padStart(12, '0')}.json`)
    this.#nextNumber += 1
    await writeWhole(path, text)
    this.#insert(path, text, added)
    this.#arrivals.set()
    return true
  }

  async handOut(
    deliver: (message: ReceivedMessage) => Promise<void>,
    signal: AbortSignal
  ): Promise<void> {
    signal.addEventListener('abort', () => this.#arrivals.set(), { once: true })
    while (!signal.aborted) {
      const [batch] = this.#batches
      if (batch) {
        await this.#handOutBatch(batch, deliver, signal)
      } else {
        await this.#arrivals.wait(IDLE_MS)
      }
    }
  }

  /** Removes the file after all of its messages were accepted. */
  async #handOutBatch(
    { path }: Batch,
    deliver: (message: ReceivedMessage) => Promise<void>,
    signal: AbortSignal
  ): Promise<void> {
    for (const message of JSON.parse(await readFile(path, 'utf8')) as ReceivedMessage[]) {
      await deliver(message)
      if (signal.aborted) {
        return
      }
    }
    await unlink(path)
    this.#batches.shift()
  }

  #insert(path: string, text: string, messages: readonly ReceivedMessage[]): void {
    this.#batches.push({
      path,
      ids: messages.map(({ id }) => id),
      bytes: Buffer.byteLength(text),
    })
  }
}
