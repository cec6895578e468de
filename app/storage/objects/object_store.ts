import type { Readable } from 'node:stream'

/** Where an object is: a folder or an S3 bucket, and its name in there. */
export interface ObjectAddress {
  readonly container: string
  readonly key: string
}

export interface ObjectFacts {
  readonly key: string
  readonly size: number
  readonly modifiedAt: Date
}

/** An object, and how many bytes it should have. */
export interface ExpectedObject {
  readonly address: ObjectAddress
  readonly size: number
}

/** Bytes from `start` to `end`, both included. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

export interface PutOptions {
  /** The most bytes that may come, where that is known; a store that divides objects chooses its parts by it. */
  readonly expectedBytes?: number
  /** Gives the object up: `put` rejects with the reason, and nothing of the object is left. */
  readonly signal?: AbortSignal
}

/**
 * How much is stored of an object that arrives in pieces. It is plain data, which the caller keeps: with it any process goes
 * on, from there and nowhere else.
 */
export interface PartialObject {
  readonly size: number
  /** So many bytes make a good next piece; any other number will do. */
  readonly nextBytes: number
  /** What the store has to remember of it; only the store reads it. */
  readonly held: unknown
}

/** An object that is not complete: its `put` is under way, or was when its process died, or more pieces of it may come. */
export interface UnfinishedObject {
  readonly key: string
  readonly startedAt: Date
  /** Removes what was stored of it. A `put` that is still under way fails then. */
  discard(): Promise<void>
}

/**
 * Keeps the bytes of files. An object is whole or not there at all, also after a crash, and is never changed in place.
 * Every method rejects with `ServiceUnavailable` while the store is away.
 */
export interface ObjectStore {
  /** Makes a container where there is none yet; the region is for stores that have several. */
  makeContainer(container: string, region?: string): Promise<void>

  /** Removes a container, also one that is gone already; rejects with `ContainerNotEmpty` where objects are left in it. */
  removeContainer(container: string): Promise<void>

  /**
   * Stores what the source yields under a new key and tells its size; chunks that were passed on are spent. Rejects with
   * `StorageInsufficient` where there is no room left. Nothing is left of one that failed.
   */
  put(
    address: ObjectAddress,
    source: AsyncIterable<Uint8Array>,
    options?: PutOptions
  ): Promise<number>

  /** Begins an object that arrives in pieces, over any time and by way of any process. */
  startUpload(
    address: ObjectAddress,
    options?: Pick<PutOptions, 'expectedBytes'>
  ): Promise<PartialObject>

  /**
   * Stores one more piece, and tells how much there is then, which is on the disk. Where it rejects, what was there before is
   * there still, and goes on: something of the piece that was stored is cut off then. One caller at a time.
   */
  append(
    address: ObjectAddress,
    partial: PartialObject,
    source: AsyncIterable<Uint8Array>,
    options?: PutOptions
  ): Promise<PartialObject>

  /** Makes an object of what is there. It may be called again where it is not known whether it succeeded. */
  complete(address: ObjectAddress, partial: PartialObject): Promise<void>

  /** Removes what there is of an object that arrived in pieces, complete or not. */
  discard(address: ObjectAddress, partial: PartialObject): Promise<void>

  /**
   * The bytes of an object. Rejects with `ObjectMissing` before the first byte; a reader that stops early destroys the stream. Some
   * stores are quicker where they are told how many bytes it should have; of one that has more, at least one more comes.
   */
  read(address: ObjectAddress, range?: ByteRange, size?: number): Promise<Readable>

  /**
   * The bytes of small objects at once, no more of them than are in a run of `inRuns`: each has its bytes, or an `ObjectMissing`, or an
   * `ObjectDamaged` where it has more or less of them than it should. Their order is kept.
   */
  readSmall(objects: readonly ExpectedObject[]): Promise<readonly (Buffer | Error)[]>

  /** Rejects with `ObjectMissing` where there is no object. */
  stat(address: ObjectAddress): Promise<ObjectFacts>

  /** Removes an object, also one that is gone already. */
  delete(address: ObjectAddress): Promise<void>

  /** The objects whose keys start with a prefix, in no order; none where the container is gone. */
  list(container: string, prefix?: string): AsyncIterable<ObjectFacts>

  /** What is left of objects that were never completed. Only the caller knows which of them are still being sent. */
  unfinished(container: string, prefix?: string): AsyncIterable<UnfinishedObject>

  close(): void
}
