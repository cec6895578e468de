import { ObjectTooLarge } from '#storage/objects/errors'
import { interruptible } from '#storage/objects/interruptible'
import { releaseChunk } from '#kernel/chunk_memory'
import { BufferedPart, type PartContent } from './buffered_part.js'
import type { PartBudget } from './part_budget.js'
import { EARLY_PARTS, MAX_PARTS, partSize, MIN_PART_BYTES } from './part_sizes.js'
import type { S3Requests } from './s3_requests.js'

const MAX_IN_FLIGHT = 4

/**
 * How long a cancelled upload waits for its requests. An aborted request may still take effect after the cleanup.
 */
const ABORT_AFTER_MS = 10_000

interface PartSenderOptions {
  readonly requests: S3Requests
  readonly budget: PartBudget
  /** Returns the id of the multipart upload; called when the first part is full. */
  readonly upload: () => Promise<string>
  /** The tags of existing parts. */
  readonly tags?: readonly string[]
  /** Whether parts may be sent early when memory is short. */
  readonly sendsEarly: boolean
  readonly expectedBytes?: number
  readonly signal?: AbortSignal
}

/** Collects bytes into parts and sends several of them concurrently. */
export class PartSender {
  readonly #options: PartSenderOptions
  readonly #stop = new AbortController()
  readonly #inFlight = new Set<Promise<void>>()
  readonly signal: AbortSignal
  readonly tags: string[]
  readonly #buffered: BufferedPart
  #reserved = 0
  #number: number
  #size = 0

  constructor(options: PartSenderOptions) {
    this.#options = options
    this.#buffered = new BufferedPart(options.budget.buffers)
    this.tags = [...(options.tags ?? [])]
    this.#number = this.tags.length + 1
    const { signal } = options
    this.signal = signal ? AbortSignal.any([signal, this.#stop.signal]) : this.#stop.signal
  }

  /** The number of bytes in sent parts. */
  get size(): number {
    return this.#size
  }

  get bufferedBytes(): number {
    return this.#buffered.length
  }

  /** Sends full parts of a source; the remaining bytes stay buffered. */
  async sendAll(source: AsyncIterable<Uint8Array>): Promise<void> {
    for await (const chunk of interruptible(source, this.signal)) {
      await this.#add(chunk)
      releaseChunk(chunk)
    }
  }

  /** Sends the buffered bytes as the last part. */
  async sendLast(): Promise<void> {
    if (this.#buffered.length > 0) {
      await this.#sendPart()
    }
    await this.settle()
  }

  /** Resolves when all parts in flight are stored; rejects if one failed. */
  async settle(): Promise<void> {
    await Promise.all(this.#inFlight)
    this.signal.throwIfAborted()
  }

  /** Takes the buffered bytes. */
  takeBuffered(): Buffer {
    const { bytes, abandon } = this.#buffered.take()
    abandon()
    return bytes
  }

  /** Cancels; resolves when nothing is in flight. */
  async abort(): Promise<void> {
    this.#stop.abort()
    const timer = setTimeout(() => this.#options.requests.abortRequests(), ABORT_AFTER_MS)
    await Promise.all(this.#inFlight)
    clearTimeout(timer)
  }

  /** Releases the remaining memory. Always call it at the end. */
  releaseMemory(): void {
    this.#buffered.discard()
    this.#release(this.#reserved)
  }

  async #add(chunk: Uint8Array): Promise<void> {
    let start = 0
    while (start < chunk.byteLength) {
      const slice = chunk.subarray(start, start + this.#partSize - this.#buffered.length)
      await this.#reserve(slice.byteLength)
      this.#buffered.add(slice, this.#partSize)
      start += slice.byteLength
      if (this.#buffered.length >= this.#partSize) {
        await this.#sendPart()
      }
    }
  }

  get #partSize(): number {
    return partSize(this.#number, this.#options.expectedBytes)
  }

  /** Reserves memory. If it is short, sends a part early, if the part is large enough and few were sent early. */
  async #reserve(bytes: number): Promise<void> {
    const { budget, sendsEarly } = this.#options
    if (!budget.tryAcquire(this, bytes)) {
      const canSendEarly = this.#buffered.length >= MIN_PART_BYTES && this.#number <= EARLY_PARTS
      if (sendsEarly && canSendEarly) {
        await this.#sendPart()
      }
      await this.settle()
      await budget.acquire(this, bytes, this.signal)
    }
    this.#reserved += bytes
  }

  #release(bytes: number): void {
    this.#reserved -= bytes
    this.#options.budget.release(this, bytes)
  }

  async #sendPart(): Promise<void> {
    if (this.#number > MAX_PARTS) {
      throw new ObjectTooLarge()
    }
    const upload = await this.#options.upload()
    if (this.#inFlight.size >= MAX_IN_FLIGHT) {
      await Promise.race(this.#inFlight)
    }
    this.signal.throwIfAborted()
    const sending = this.#send(upload, this.#number++, this.#buffered.take())
      .catch((error) => this.#stop.abort(error))
      .finally(() => this.#inFlight.delete(sending))
    this.#inFlight.add(sending)
    if (this.#options.budget.isOverdrawn) {
      await this.settle()
    }
  }

  async #send(upload: string, number: number, part: PartContent): Promise<void> {
    const { bytes } = part
    try {
      this.tags[number - 1] = await this.#options.requests.putPart(upload, number, bytes)
    } catch (error) {
      part.abandon()
      throw error
    }
    part.release()
    this.#size += bytes.length
    this.#release(bytes.length)
  }
}
