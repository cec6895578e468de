import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import type { Readable } from 'node:stream'

import { checkSize } from '#storage/objects/check_size'
import { ObjectDamaged, PutInterrupted } from '#storage/objects/errors'
import type { ObjectAddress, PartialObject, PutOptions } from '#storage/objects/object_store'
import type { PartBudget } from './part_budget.js'
import { PartSender } from './part_sender.js'
import { partSize } from './part_sizes.js'
import { remainderAddress } from './remainders.js'
import { isMissing, isNamed, s3Failure } from './s3_failures.js'
import { S3Requests } from './s3_requests.js'

interface S3PartialState {
  readonly upload: string
  /** Of the parts, in their order; a part that was replaced has another tag, and the object is refused then. */
  readonly tags: readonly string[]
  /** Bytes behind the last part, which are an object of their own until there are enough for one. */
  readonly restBytes: number
  /** The part behind which there was a rest that is used up since. */
  readonly usedUp?: number
  readonly expectedBytes?: number
}

/** So much is stored between two states that can be gone on from, in whole parts. */
const CHUNK_BYTES = 64 * 1024 ** 2

/**
 * An object that arrives on an S3 server in pieces of any size: an upload in parts that no process has to hold open. Where its parts
 * begin depends on nothing but its size: what is sent once more takes the place of what was sent before, and no part is left
 * over in the end, for which some servers refuse the whole.
 */
export class S3PartialUpload {
  readonly #client: S3Client
  readonly #address: ObjectAddress
  readonly #budget: PartBudget
  readonly #requests: S3Requests

  constructor(client: S3Client, address: ObjectAddress, budget: PartBudget) {
    this.#client = client
    this.#address = address
    this.#budget = budget
    this.#requests = new S3Requests(client, address)
  }

  async start(expectedBytes: number | undefined): Promise<PartialObject> {
    const upload = await this.#requests.createMultipartUpload()
    return partialOf(0, { upload, tags: [], restBytes: 0, expectedBytes })
  }

  async append(
    partial: PartialObject,
    source: AsyncIterable<Uint8Array>,
    { signal }: PutOptions
  ): Promise<PartialObject> {
    const { upload, tags, restBytes, usedUp, expectedBytes } = partial.held as S3PartialState
    if (usedUp !== undefined) {
      await this.#deleteRemainder(usedUp)
    }
    const sender = new PartSender({
      requests: this.#requests,
      budget: this.#budget,
      upload: async () => upload,
      tags,
      sendsEarly: false,
      expectedBytes,
      signal,
    })
    try {
      await sender.sendAll(this.#withRemainder(partial, source))
      const isComplete =
        partial.size - restBytes + sender.size + sender.bufferedBytes === expectedBytes
      if (isComplete) {
        await sender.sendLast()
      } else {
        await sender.settle()
      }
      const remainder = sender.takeBuffered()
      if (remainder.length > 0) {
        await this.#remainderRequests(sender.tags.length).putWhole(remainder)
      }
      sender.signal.throwIfAborted()
      const isUsedUp = restBytes > 0 && sender.tags.length > tags.length
      return partialOf(partial.size - restBytes + sender.size + remainder.length, {
        upload,
        tags: sender.tags,
        restBytes: remainder.length,
        expectedBytes,
        ...(isUsedUp && { usedUp: tags.length }),
      })
    } catch (error) {
      const reason = sender.signal.aborted ? sender.signal.reason : error
      await sender.abort()
      throw reason
    } finally {
      sender.releaseMemory()
    }
  }

  async complete(partial: PartialObject): Promise<void> {
    const { upload, tags, restBytes } = partial.held as S3PartialState
    if (partial.size === 0) {
      await this.#requests.putWhole(Buffer.alloc(0))
      await this.abort(partial)
      return
    }
    const last = restBytes > 0 ? [await this.#sendRemainder(partial)] : []
    await this.#requests.complete(upload, [...tags, ...last]).catch((error) => {
      throw isNamed(error, 'InvalidPart') ? new PutInterrupted(error) : error
    })
  }

  /** Ends the upload in parts, also one that is gone already. */
  async abort({ held: state }: PartialObject): Promise<void> {
    await this.#requests.abort((state as S3PartialState).upload).catch((error) => {
      if (!isNamed(error, 'NoSuchUpload') && !isMissing(error)) {
        throw s3Failure(error)
      }
    })
  }

  async #sendRemainder(partial: PartialObject): Promise<string> {
    const { upload, tags } = partial.held as S3PartialState
    const bytes = await Array.fromAsync(this.#readRemainder(partial))
    return this.#requests.putPart(upload, tags.length + 1, Buffer.concat(bytes))
  }

  async *#withRemainder(
    partial: PartialObject,
    source: AsyncIterable<Uint8Array>
  ): AsyncGenerator<Uint8Array, void, undefined> {
    if ((partial.held as S3PartialState).restBytes > 0) {
      yield* this.#readRemainder(partial)
    }
    yield* source
  }

  /** More may be stored of it by a piece that was never told of; what counts is at its beginning. */
  async *#readRemainder({
    held: state,
  }: PartialObject): AsyncGenerator<Uint8Array, void, undefined> {
    const { tags, restBytes } = state as S3PartialState
    const { container, key } = remainderAddress(this.#address, tags.length)
    const range = { Bucket: container, Key: key, Range: `bytes=0-${restBytes - 1}` }
    try {
      const { Body } = await this.#client.send(new GetObjectCommand(range))
      yield* checkSize(restBytes, Body as Readable)
    } catch (error) {
      const isLost = isMissing(error) || error instanceof ObjectDamaged
      throw isLost ? new PutInterrupted(error) : s3Failure(error)
    }
  }

  async #deleteRemainder(behindPart: number): Promise<void> {
    await this.#remainderRequests(behindPart)
      .delete()
      .catch((error) => {
        throw s3Failure(error)
      })
  }

  #remainderRequests(behindPart: number): S3Requests {
    return new S3Requests(this.#client, remainderAddress(this.#address, behindPart))
  }
}

/** Pieces end where a part does, so that no rest has to be kept in between. */
function partialOf(size: number, state: S3PartialState): PartialObject {
  let part = state.tags.length + 1
  let nextBytes = partSize(part, state.expectedBytes) - state.restBytes
  while (nextBytes < CHUNK_BYTES) {
    nextBytes += partSize(++part, state.expectedBytes)
  }
  return { size, nextBytes, held: state }
}
