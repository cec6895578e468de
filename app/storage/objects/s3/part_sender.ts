import { ObjectTooLarge } from '#storage/objects/errors'
import { interruptible } from '#storage/objects/interruptible'
import { releaseChunk } from '#kernel/chunk_memory'
import { GatheredPart, type TakenPart } from './gathered_part.js'
import type { PartBudget } from './part_budget.js'
import { EARLY_PARTS, MOST_PARTS, partSize, SMALLEST_PART } from './part_sizes.js'
import type { S3Requests } from './s3_requests.js'

const PARTS_AT_ONCE = 4

/**
 * How long requests under way are waited for when an upload is given up. One that is cut off may still take effect, after
 * what is there was removed.
 */
const CUT_OFF_AFTER_MS = 10_000

interface Options {
  readonly requests: S3Requests
  readonly budget: PartBudget
  /** Names the upload in parts; asked for when the first part is full. */
  readonly upload: () => Promise<string>
  /** The tags of the parts that are there already. */
  readonly tags?: readonly string[]
  /** Whether parts may be sent before they are full where memory is short. */
  readonly sendsEarly: boolean
  readonly expectedBytes?: number
  readonly signal?: AbortSignal
}

/** Gathers bytes into parts and sends them; some are under way while the next one is gathered. */
export class PartSender {
  readonly #options: Options
  readonly #stop = new AbortController()
  readonly #underWay = new Set<Promise<void>>()
  readonly signal: AbortSignal
  readonly tags: string[]
  readonly #gathered = new GatheredPart()
  #taken = 0
  #number: number
  #size = 0

  constructor(options: Options) {
    this.#options = options
    this.tags = [...(options.tags ?? [])]
    this.#number = this.tags.length + 1
    const { signal } = options
    this.signal = signal ? AbortSignal.any([signal, this.#stop.signal]) : this.#stop.signal
  }

  /** Bytes in the parts that were sent. */
  get size(): number {
    return this.#size
  }

  get gatheredBytes(): number {
    return this.#gathered.length
  }

  /** Sends what the source yields, but for the bytes at its end that do not fill a part. */
  async sendAll(source: AsyncIterable<Uint8Array>): Promise<void> {
    for await (const chunk of interruptible(source, this.signal)) {
      await this.#add(chunk)
      releaseChunk(chunk)
    }
  }

  /** Sends what is gathered as the last part. */
  async sendLast(): Promise<void> {
    if (this.#gathered.length > 0) {
      await this.#sendPart()
    }
    await this.settle()
  }

  /** Resolves when every part under way is there; rejects where one is not. */
  async settle(): Promise<void> {
    await Promise.all(this.#underWay)
    this.signal.throwIfAborted()
  }

  /** What was gathered and not sent; it stays as it is. */
  takeGathered(): Buffer {
    const { bytes, leave } = this.#gathered.take()
    leave()
    return bytes
  }

  /** Gives up; resolves when nothing is under way any more. */
  async halt(): Promise<void> {
    this.#stop.abort()
    const cutOff = setTimeout(() => this.#options.requests.cutOff(), CUT_OFF_AFTER_MS)
    await Promise.all(this.#underWay)
    clearTimeout(cutOff)
  }

  /** Gives back what memory is left; to be called at the end, however that came. */
  end(): void {
    this.#gathered.drop()
    this.#give(this.#taken)
  }

  async #add(chunk: Uint8Array): Promise<void> {
    let start = 0
    while (start < chunk.byteLength) {
      const piece = chunk.subarray(start, start + this.#partSize - this.#gathered.length)
      await this.#take(piece.byteLength)
      this.#gathered.add(piece, this.#partSize)
      start += piece.byteLength
      if (this.#gathered.length >= this.#partSize) {
        await this.#sendPart()
      }
    }
  }

  get #partSize(): number {
    return partSize(this.#number, this.#options.expectedBytes)
  }

  /** When memory is short, a part is sent before it is full, if it is large enough and not too many were sent like that. */
  async #take(bytes: number): Promise<void> {
    const { budget, sendsEarly } = this.#options
    if (!budget.tryTake(this, bytes)) {
      const isEnough = this.#gathered.length >= SMALLEST_PART && this.#number <= EARLY_PARTS
      if (sendsEarly && isEnough) {
        await this.#sendPart()
      }
      await this.settle()
      await budget.take(this, bytes, this.signal)
    }
    this.#taken += bytes
  }

  #give(bytes: number): void {
    this.#taken -= bytes
    this.#options.budget.give(this, bytes)
  }

  async #sendPart(): Promise<void> {
    if (this.#number > MOST_PARTS) {
      throw new ObjectTooLarge()
    }
    const upload = await this.#options.upload()
    if (this.#underWay.size >= PARTS_AT_ONCE) {
      await Promise.race(this.#underWay)
    }
    this.signal.throwIfAborted()
    const sending = this.#send(upload, this.#number++, this.#gathered.take())
      .catch((error) => this.#stop.abort(error))
      .finally(() => this.#underWay.delete(sending))
    this.#underWay.add(sending)
    if (this.#options.budget.isOverdrawn) {
      await this.settle()
    }
  }

  async #send(upload: string, number: number, part: TakenPart): Promise<void> {
    const { bytes } = part
    try {
      this.tags[number - 1] = await this.#options.requests.putPart(upload, number, bytes)
    } catch (error) {
      part.leave()
      throw error
    }
    part.done()
    this.#size += bytes.length
    this.#give(bytes.length)
  }
}
