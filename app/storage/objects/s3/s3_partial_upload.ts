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
  /** The tags of the parts in order; S3 rejects the object if a part was replaced. */
  readonly tags: readonly string[]
  /** The number of bytes after the last part, stored as an object until they fill a part. */
  readonly restBytes: number
  /** The part whose remainder is part of a later one by now. */
  readonly usedUp?: number
  readonly expectedBytes?: number
}

/** The size between two resumable states, in whole parts. */
const CHUNK_BYTES = 64 * 1024 ** 2

/**
 * An object that arrives in chunks of any size, as a multipart upload that any process can resume. Part boundaries
 * depend only on the size: repeated bytes replace the same parts, and no part is left over, which some servers
 * would reject.
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

  /** Aborts the multipart upload if it exists. */
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

  /** The stored remainder may be longer, if a later append failed; only its start counts. */
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

/** Chunks end at part boundaries, so that they leave no remainder. */
function partialOf(size: number, state: S3PartialState): PartialObject {
  let part = state.tags.length + 1
  let nextBytes = partSize(part, state.expectedBytes) - state.restBytes
  while (nextBytes < CHUNK_BYTES) {
    nextBytes += partSize(++part, state.expectedBytes)
  }
  return { size, nextBytes, held: state }
}
