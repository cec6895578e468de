import type { Readable } from 'node:stream'
import {
  AbortMultipartUploadCommand,
  CreateBucketCommand,
  DeleteBucketCommand,
  GetObjectCommand,
  paginateListObjectsV2,
  ListMultipartUploadsCommand,
  type BucketLocationConstraint,
  type S3Client,
} from '@aws-sdk/client-s3'
import { S3Driver } from 'flydrive/drivers/s3'

import { inParallel } from '#kernel/in_parallel'
import {
  ContainerNotEmpty,
  ContainerTaken,
  ObjectMissing,
  PutInterrupted,
  UnknownRegion,
} from '#storage/objects/errors'
import { requireSafeAddress, requireSafeContainer } from '#storage/objects/object_names'
import type {
  ByteRange,
  ExpectedObject,
  ObjectAddress,
  ObjectFacts,
  ObjectStore,
  PartialObject,
  PutOptions,
  UnfinishedObject,
} from '#storage/objects/object_store'
import { checkedContent } from '#storage/objects/small_objects'
import { PartBudget } from './part_budget.js'
import { keyOfRemainder, remaindersOf, remaindersWithin } from './remainders.js'
import { isMissing, isNamed, s3Failure } from './s3_failures.js'
import { S3PartialUpload } from './s3_partial_upload.js'
import { S3Upload } from './s3_upload.js'

/** Enough for three uploads at full speed; more of them share it. */
const PART_MEMORY_BYTES = 128 * 1024 ** 2

const CONCURRENT_READS = 8

/** The default region, which must not be named when a bucket is created. */
const UNNAMED_REGION = 'us-east-1'

/** Stores objects on an S3 server; containers are buckets. */
export class S3ObjectStore implements ObjectStore {
  readonly #client: S3Client
  readonly #drive: S3Driver
  readonly #budget: PartBudget

  constructor(client: S3Client, partsMemoryBytes = PART_MEMORY_BYTES) {
    this.#client = client
    this.#drive = new S3Driver({ client, bucket: '', visibility: 'private', supportsACL: false })
    this.#budget = new PartBudget(partsMemoryBytes)
  }

  async makeContainer(container: string, region?: string): Promise<void> {
    requireSafeContainer(container)
    const constraint = region && region !== UNNAMED_REGION ? region : undefined
    const configuration = constraint && {
      CreateBucketConfiguration: { LocationConstraint: constraint as BucketLocationConstraint },
    }
    try {
      await this.#client.send(new CreateBucketCommand({ Bucket: container, ...configuration }))
    } catch (error) {
      if (isNamed(error, 'BucketAlreadyOwnedByYou')) {
        return
      }
      if (isNamed(error, 'BucketAlreadyExists')) {
        throw new ContainerTaken(container, error)
      }
      const isRegion = /LocationConstraint/.test((error as Error).name)
      throw isRegion && region ? new UnknownRegion(region, error) : s3Failure(error)
    }
  }

  async removeContainer(container: string): Promise<void> {
    requireSafeContainer(container)
    for await (const unfinished of this.unfinished(container)) {
      await unfinished.discard()
    }
    try {
      await this.#client.send(new DeleteBucketCommand({ Bucket: container }))
    } catch (error) {
      if (isNamed(error, 'BucketNotEmpty')) {
        throw new ContainerNotEmpty(container, error)
      }
      if (!isMissing(error)) {
        throw s3Failure(error)
      }
    }
  }

  async put(
    address: ObjectAddress,
    source: AsyncIterable<Uint8Array>,
    options: PutOptions = {}
  ): Promise<number> {
    requireSafeAddress(address)
    options.signal?.throwIfAborted()
    return new S3Upload(this.#client, address, this.#budget, options).run(source)
  }

  async startUpload(
    address: ObjectAddress,
    { expectedBytes }: Pick<PutOptions, 'expectedBytes'> = {}
  ): Promise<PartialObject> {
    return this.#partialUpload(address).start(expectedBytes)
  }

  async append(
    address: ObjectAddress,
    partial: PartialObject,
    source: AsyncIterable<Uint8Array>,
    options: PutOptions = {}
  ): Promise<PartialObject> {
    options.signal?.throwIfAborted()
    return this.#partialUpload(address).append(partial, source, options)
  }

  async complete(address: ObjectAddress, partial: PartialObject): Promise<void> {
    try {
      await this.#partialUpload(address).complete(partial)
    } catch (error) {
      const isComplete =
        error instanceof PutInterrupted && (await this.#isStored(address, partial.size))
      if (!isComplete) {
        throw error
      }
    }
    await this.#deleteRemainders(address)
  }

  async discard(address: ObjectAddress, partial: PartialObject): Promise<void> {
    await this.#partialUpload(address).abort(partial)
    await this.#deleteRemainders(address)
    await this.delete(address)
  }

  async read(address: ObjectAddress, range?: ByteRange): Promise<Readable> {
    requireSafeAddress(address)
    const { container: Bucket, key: Key } = address
    const Range = range && `bytes=${range.start}-${range.end}`
    try {
      const { Body } = await this.#client.send(new GetObjectCommand({ Bucket, Key, Range }))
      return Body as Readable
    } catch (error) {
      throw isMissing(error) ? new ObjectMissing(address, error) : s3Failure(error)
    }
  }

  async readSmall(objects: readonly ExpectedObject[]): Promise<readonly (Buffer | Error)[]> {
    return inParallel(objects, CONCURRENT_READS, async ({ address, size }) =>
      checkedContent(size, this.#readPrefix(address, size + 1))
    )
  }

  async stat(address: ObjectAddress): Promise<ObjectFacts> {
    requireSafeAddress(address)
    const { container, key } = address
    try {
      const { contentLength, lastModified } = await this.#drive.bucket(container).getMetaData(key)
      return { key, size: contentLength, modifiedAt: lastModified }
    } catch (error) {
      throw isMissing(error) ? new ObjectMissing(address, error) : s3Failure(error)
    }
  }

  async delete(address: ObjectAddress): Promise<void> {
    requireSafeAddress(address)
    await this.#delete(address)
  }

  async *list(container: string, prefix = ''): AsyncGenerator<ObjectFacts> {
    for await (const facts of this.#listAll(container, prefix)) {
      if (keyOfRemainder(facts.key) === undefined) {
        yield facts
      }
    }
  }

  async *unfinished(container: string, prefix = ''): AsyncGenerator<UnfinishedObject> {
    yield* this.#unfinishedUploads(container, prefix)
    for await (const { key: remainder, modifiedAt } of this.#listAll(
      container,
      remaindersWithin(prefix)
    )) {
      const discard = () => this.#delete({ container, key: remainder })
      yield { key: keyOfRemainder(remainder)!, startedAt: modifiedAt, discard }
    }
  }

  close(): void {
    this.#client.destroy()
  }

  /** Reads at least this many bytes, if the object has them. */
  async #readPrefix(address: ObjectAddress, minBytes: number): Promise<Buffer> {
    const chunks: Buffer[] = []
    let bytes = 0
    for await (const chunk of await this.read(address)) {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes >= minBytes) {
        break
      }
    }
    return Buffer.concat(chunks)
  }

  #partialUpload(address: ObjectAddress): S3PartialUpload {
    requireSafeAddress(address)
    return new S3PartialUpload(this.#client, address, this.#budget)
  }

  async #isStored(address: ObjectAddress, size: number): Promise<boolean> {
    const facts = await this.stat(address).catch((error) => {
      if (!(error instanceof ObjectMissing)) {
        throw error
      }
    })
    return facts?.size === size
  }

  async #deleteRemainders({ container, key }: ObjectAddress): Promise<void> {
    for await (const remainder of this.#listAll(container, remaindersOf(key))) {
      await this.#delete({ container, key: remainder.key })
    }
  }

  async *#listAll(container: string, prefix: string): AsyncGenerator<ObjectFacts> {
    requireSafeContainer(container)
    const query = { Bucket: container, Prefix: prefix }
    try {
      for await (const { Contents = [] } of paginateListObjectsV2(
        { client: this.#client },
        query
      )) {
        for (const { Key, Size = 0, LastModified } of Contents) {
          yield { key: Key!, size: Size, modifiedAt: LastModified! }
        }
      }
    } catch (error) {
      if (!isMissing(error)) {
        throw s3Failure(error)
      }
    }
  }

  async *#unfinishedUploads(container: string, prefix: string): AsyncGenerator<UnfinishedObject> {
    requireSafeContainer(container)
    const query = { Bucket: container, Prefix: prefix }
    let from: { KeyMarker?: string; UploadIdMarker?: string } = {}
    for (;;) {
      const page = await this.#pageOfUploads({ ...query, ...from })
      for (const { Key = '', UploadId, Initiated = new Date(0) } of page?.Uploads ?? []) {
        const discard = () => this.#abortUpload({ Bucket: container, Key, UploadId })
        yield { key: Key, startedAt: Initiated, discard }
      }
      if (!page?.IsTruncated) {
        return
      }
      from = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker }
    }
  }

  async #delete({ container, key }: ObjectAddress): Promise<void> {
    try {
      await this.#drive.bucket(container).delete(key)
    } catch (error) {
      if (!isMissing(error)) {
        throw s3Failure(error)
      }
    }
  }

  async #pageOfUploads(query: { Bucket: string; Prefix: string }) {
    try {
      return await this.#client.send(new ListMultipartUploadsCommand(query))
    } catch (error) {
      if (!isMissing(error)) {
        throw s3Failure(error)
      }
      return undefined
    }
  }

  async #abortUpload(upload: { Bucket: string; Key: string; UploadId: string | undefined }) {
    try {
      await this.#client.send(new AbortMultipartUploadCommand(upload))
    } catch (error) {
      if (!isNamed(error, 'NoSuchUpload')) {
        throw s3Failure(error)
      }
    }
  }
}
