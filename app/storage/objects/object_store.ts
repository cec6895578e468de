import type { Readable } from 'node:stream'

/** The address of an object: a folder or S3 bucket, and a key. */
export interface ObjectAddress {
  readonly container: string
  readonly key: string
}

export interface ObjectFacts {
  readonly key: string
  readonly size: number
  readonly modifiedAt: Date
}

/** An object and its expected size. */
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
  /** The maximum size, if it is known; determines the size of parts. */
  readonly expectedBytes?: number
  /** Cancels the object: `put` rejects with the reason and removes it. */
  readonly signal?: AbortSignal
}

/**
 * The state of an object that arrives in chunks. It is plain data that the caller stores; any process can resume
 * from it, and only from the latest one.
 */
export interface PartialObject {
  readonly size: number
  /** The recommended size of the next chunk. */
  readonly nextBytes: number
  /** The private state of the store. */
  readonly held: unknown
}

/** An incomplete object: its `put` is running or has crashed, or more chunks may arrive. */
export interface UnfinishedObject {
  readonly key: string
  readonly startedAt: Date
  /** Removes the stored data. A running `put` fails then. */
  discard(): Promise<void>
}

/**
 * Stores the content of files. An object exists completely or not at all, even after a crash, and is immutable.
 * Every method rejects with `ServiceUnavailable` while the store is unavailable.
 */
export abstract class ObjectStore {
  /** Creates a container unless it exists; the region is for stores with several. */
  abstract makeContainer(container: string, region?: string): Promise<void>

  /** Removes a container if it exists; rejects with `ContainerNotEmpty` if it has objects. */
  abstract removeContainer(container: string): Promise<void>

  /**
   * Stores a source under a new key and returns its size; chunks are recycled. Rejects with `StorageInsufficient`
   * if the store is full. A failed object is removed.
   */
  abstract put(
    address: ObjectAddress,
    source: AsyncIterable<Uint8Array>,
    options?: PutOptions
  ): Promise<number>

  /** Starts an object that arrives in chunks, over any time and from any process. */
  abstract startUpload(
    address: ObjectAddress,
    options?: Pick<PutOptions, 'expectedBytes'>
  ): Promise<PartialObject>

  /**
   * Appends a chunk and returns the new state once it is durable. After a rejection the previous state is still
   * valid. Only one caller may append at a time.
   */
  abstract append(
    address: ObjectAddress,
    partial: PartialObject,
    source: AsyncIterable<Uint8Array>,
    options?: PutOptions
  ): Promise<PartialObject>

  /** Completes the object. Idempotent, so it may be repeated after an unknown outcome. */
  abstract complete(address: ObjectAddress, partial: PartialObject): Promise<void>

  /** Removes an object that arrived in chunks, complete or not. */
  abstract discard(address: ObjectAddress, partial: PartialObject): Promise<void>

  /**
   * Streams an object. Rejects with `ObjectMissing` before the first byte; destroy the stream to stop early. Some
   * stores are faster if they know the expected size; a larger object yields at least one excess byte.
   */
  abstract read(address: ObjectAddress, range?: ByteRange, size?: number): Promise<Readable>

  /**
   * Reads small objects, at most one run of `groupSmallObjects`. Each result is the content, an `ObjectMissing`, or
   * an `ObjectDamaged` if the size differs. Keeps the order.
   */
  abstract readSmall(objects: readonly ExpectedObject[]): Promise<readonly (Buffer | Error)[]>

  /** Rejects with `ObjectMissing` if there is no object. */
  abstract stat(address: ObjectAddress): Promise<ObjectFacts>

  /** Removes an object if it exists. */
  abstract delete(address: ObjectAddress): Promise<void>

  /** The objects with a key prefix, in no order; none if the container is missing. */
  abstract list(container: string, prefix?: string): AsyncIterable<ObjectFacts>

  /** Incomplete objects. Only the caller knows which of them are still being uploaded. */
  abstract unfinished(container: string, prefix?: string): AsyncIterable<UnfinishedObject>

  abstract close(): void
}
