import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  PutObjectCommand,
  UploadPartCommand,
  type S3Client,
} from '@aws-sdk/client-s3'

import { ContainerMissing } from '#storage/objects/errors'
import type { ObjectAddress } from '#storage/objects/object_store'
import { isMissing, s3Failure } from './s3_failures.js'

/** A store slower than a megabyte per second counts as unavailable. */
const ANSWER_WITHIN_MS = 60_000
const SLOWEST_BYTES_PER_MS = 1_000

/**
 * The requests that write one object, with timeouts. Only errors of the server are mapped: a source may fail with
 * the same codes.
 */
export class S3Requests {
  readonly #client: S3Client
  readonly #object: { Bucket: string; Key: string }
  readonly #aborted = new AbortController()

  constructor(client: S3Client, { container, key }: ObjectAddress) {
    this.#client = client
    this.#object = { Bucket: container, Key: key }
  }

  async putWhole(bytes: Buffer): Promise<void> {
    const content = { Body: bytes, ContentLength: bytes.length }
    const put = new PutObjectCommand({ ...this.#object, ...content })
    await this.#mapErrors(this.#client.send(put, this.#limits(bytes.length)))
  }

  /** Starts a multipart upload; returns its id. */
  async createMultipartUpload(): Promise<string> {
    const create = new CreateMultipartUploadCommand(this.#object)
    const { UploadId } = await this.#mapErrors(this.#client.send(create, this.#limits()))
    if (!UploadId) {
      throw new Error('The S3 server started an upload without an id')
    }
    return UploadId
  }

  /** Sends a part; returns the tag of its content. */
  async putPart(upload: string, number: number, bytes: Buffer): Promise<string> {
    const part = { ...this.#object, UploadId: upload, PartNumber: number }
    const send = new UploadPartCommand({ ...part, Body: bytes, ContentLength: bytes.length })
    const { ETag } = await this.#mapErrors(this.#client.send(send, this.#limits(bytes.length)))
    if (!ETag) {
      throw new Error('The S3 server accepted a part without a tag')
    }
    return ETag
  }

  /** Completes the object from the parts with these tags. */
  async complete(upload: string, tags: readonly string[]): Promise<void> {
    const Parts = tags.map((ETag, index) => ({ ETag, PartNumber: index + 1 }))
    const content = { UploadId: upload, MultipartUpload: { Parts } }
    const complete = new CompleteMultipartUploadCommand({ ...this.#object, ...content })
    await this.#mapErrors(this.#client.send(complete, this.#limits()))
  }

  async abort(upload: string): Promise<void> {
    const abort = new AbortMultipartUploadCommand({ ...this.#object, UploadId: upload })
    await this.#client.send(abort)
  }

  async delete(): Promise<void> {
    await this.#client.send(new DeleteObjectCommand(this.#object))
  }

  /** Aborts running requests. They may still take effect on the server. */
  abortRequests(): void {
    this.#aborted.abort()
  }

  #mapErrors<T>(answer: Promise<T>): Promise<T> {
    return answer.catch((error) => {
      throw isMissing(error) ? new ContainerMissing(this.#object.Bucket, error) : s3Failure(error)
    })
  }

  #limits(bytes = 0) {
    return {
      abortSignal: this.#aborted.signal,
      requestTimeout: ANSWER_WITHIN_MS + bytes / SLOWEST_BYTES_PER_MS,
    }
  }
}
