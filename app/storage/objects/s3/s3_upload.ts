import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  PutObjectCommand,
  UploadPartCommand,
  type CompletedPart,
  type S3Client,
} from '@aws-sdk/client-s3'

import { ContainerMissing, ObjectTooLarge } from '#storage/objects/errors'
import { interruptible } from '#storage/objects/interruptible'
import type { ObjectAddress, PutOptions } from '#storage/objects/object_store'
import type { PartBudget } from './part_budget.js'
import { isMissing, s3Failure } from './s3_failures.js'
import { EARLY_PARTS, MOST_PARTS, partSize, SMALLEST_PART } from './part_sizes.js'

const PARTS_AT_ONCE = 4

/**
 * How long requests under way are waited for when an upload is given up. One that is cut off may still take effect, after
 * what is there was removed.
 */
const CUT_OFF_AFTER_MS = 10_000

/** A store that takes less than a megabyte in a second is taken for one that is away. */
const ANSWER_WITHIN_MS = 60_000
const SLOWEST_BYTES_PER_MS = 1_000

/**
 * One object on its way to an S3 server: in one piece where it fits into a part, else in parts, some of which are under way
 * while the next one is gathered.
 */
export class S3Upload {
  readonly #client: S3Client
  readonly #object: { Bucket: string; Key: string }
  readonly #budget: PartBudget
  readonly #expectedBytes: number | undefined
  readonly #stop = new AbortController()
  readonly #cutOff = new AbortController()
  readonly #signal: AbortSignal
  readonly #underWay = new Set<Promise<void>>()
  readonly #parts: CompletedPart[] = []
  #gathered: Uint8Array[] = []
  #gatheredBytes = 0
  #taken = 0
  #number = 1
  #uploadId: string | undefined
  #mayBeThere = false
  #size = 0

  constructor(
    client: S3Client,
    { container, key }: ObjectAddress,
    budget: PartBudget,
    { expectedBytes, signal }: PutOptions
  ) {
    this.#client = client
    this.#object = { Bucket: container, Key: key }
    this.#budget = budget
    this.#expectedBytes = expectedBytes
    this.#signal = signal ? AbortSignal.any([signal, this.#stop.signal]) : this.#stop.signal
  }

  /** Stores all that the source yields and tells its size; leaves nothing where that fails. */
  async run(source: AsyncIterable<Uint8Array>): Promise<number> {
    try {
      for await (const chunk of interruptible(source, this.#signal)) await this.#add(chunk)
      await this.#complete()
      this.#signal.throwIfAborted()
      return this.#size
    } catch (error) {
      const reason = this.#signal.aborted ? this.#signal.reason : error
      await this.#giveUp()
      throw reason
    } finally {
      this.#give(this.#taken)
    }
  }

  async #add(chunk: Uint8Array): Promise<void> {
    let start = 0
    while (start < chunk.byteLength) {
      const piece = chunk.subarray(start, start + this.#partSize - this.#gatheredBytes)
      await this.#take(piece.byteLength)
      this.#gathered.push(piece)
      this.#gatheredBytes += piece.byteLength
      start += piece.byteLength
      if (this.#gatheredBytes >= this.#partSize) await this.#sendPart()
    }
  }

  get #partSize(): number {
    return partSize(this.#number, this.#expectedBytes)
  }

  /** When memory is short, a part is sent before it is full, if it is large enough and not too many were sent like that. */
  async #take(bytes: number): Promise<void> {
    if (!this.#budget.tryTake(this, bytes)) {
      const isEnough = this.#gatheredBytes >= SMALLEST_PART && this.#number <= EARLY_PARTS
      if (isEnough) await this.#sendPart()
      await this.#settle()
      await this.#budget.take(this, bytes, this.#signal)
    }
    this.#taken += bytes
  }

  #give(bytes: number): void {
    this.#taken -= bytes
    this.#budget.give(this, bytes)
  }

  async #sendPart(): Promise<void> {
    if (this.#number > MOST_PARTS) throw new ObjectTooLarge()
    this.#uploadId ??= await this.#begin()
    if (this.#underWay.size >= PARTS_AT_ONCE) await Promise.race(this.#underWay)
    this.#signal.throwIfAborted()
    const sending = this.#upload(this.#number++, this.#takeGathered())
      .catch((error) => this.#stop.abort(error))
      .finally(() => this.#underWay.delete(sending))
    this.#underWay.add(sending)
    if (this.#budget.isOverdrawn) await this.#settle()
  }

  async #begin(): Promise<string> {
    const begin = new CreateMultipartUploadCommand(this.#object)
    const { UploadId } = await this.#answer(this.#client.send(begin, this.#patience()))
    if (!UploadId) throw new Error('The S3 server began an upload without naming it')
    return UploadId
  }

  async #upload(number: number, bytes: Buffer): Promise<void> {
    const { length } = bytes
    const part = { ...this.#object, UploadId: this.#uploadId, PartNumber: number }
    const send = new UploadPartCommand({ ...part, Body: bytes, ContentLength: length })
    const { ETag } = await this.#answer(this.#client.send(send, this.#patience(length)))
    this.#parts[number - 1] = { ETag, PartNumber: number }
    this.#size += length
    this.#give(length)
  }

  async #complete(): Promise<void> {
    if (this.#uploadId === undefined) return this.#putWhole()
    if (this.#gatheredBytes > 0) await this.#sendPart()
    await this.#settle()
    this.#mayBeThere = true
    const upload = { UploadId: this.#uploadId, MultipartUpload: { Parts: this.#parts } }
    const complete = new CompleteMultipartUploadCommand({ ...this.#object, ...upload })
    await this.#answer(this.#client.send(complete, this.#patience()))
  }

  async #putWhole(): Promise<void> {
    const bytes = this.#takeGathered()
    this.#size = bytes.length
    this.#mayBeThere = true
    const content = { Body: bytes, ContentLength: bytes.length }
    const put = new PutObjectCommand({ ...this.#object, ...content })
    await this.#answer(this.#client.send(put, this.#patience(bytes.length)))
  }

  /** An answer that got lost may have been a yes, so what could be there is deleted as well. What fails here, a sweep finds. */
  async #giveUp(): Promise<void> {
    this.#stop.abort()
    const cutOff = setTimeout(() => this.#cutOff.abort(), CUT_OFF_AFTER_MS)
    await Promise.all(this.#underWay)
    clearTimeout(cutOff)
    const upload = { ...this.#object, UploadId: this.#uploadId }
    if (this.#uploadId !== undefined) {
      await this.#client.send(new AbortMultipartUploadCommand(upload)).catch(() => {})
    }
    if (this.#mayBeThere) {
      await this.#client.send(new DeleteObjectCommand(this.#object)).catch(() => {})
    }
  }

  async #settle(): Promise<void> {
    await Promise.all(this.#underWay)
    this.#signal.throwIfAborted()
  }

  #takeGathered(): Buffer {
    const bytes = Buffer.concat(this.#gathered)
    this.#gathered = []
    this.#gatheredBytes = 0
    return bytes
  }

  /** Translates what the server says, and only that: a source may fail with the same codes. */
  #answer<T>(answer: Promise<T>): Promise<T> {
    return answer.catch((error) => {
      throw isMissing(error) ? new ContainerMissing(this.#object.Bucket, error) : s3Failure(error)
    })
  }

  #patience(bytes = 0) {
    return {
      abortSignal: this.#cutOff.signal,
      requestTimeout: ANSWER_WITHIN_MS + bytes / SLOWEST_BYTES_PER_MS,
    }
  }
}
