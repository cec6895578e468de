/** A lock on buckets at storage, with an id chosen by core. */
export interface BucketLock {
  readonly id: string
  readonly bucketIds: readonly string[]
}

export interface StoredLock {
  readonly id: string
  readonly createdAt: Date
}

/**
 * Locks on buckets at storage, which runs in this process or elsewhere. Storage neither adds nor removes files of a
 * locked bucket. Calls are idempotent, and reject with `ServiceUnavailable` while storage is not reachable.
 */
export abstract class BucketLocks {
  abstract readonly pageSize: number
  /** Resolves when no pending upload can add a file any more. */
  abstract lock(locks: readonly BucketLock[]): Promise<void>
  abstract release(id: string): Promise<void>
  /** A page of locks sorted by id, after the given id; the last page is shorter than `pageSize`. */
  abstract list(after: string): Promise<readonly StoredLock[]>
}

/** For an installation without storage. */
export const NO_LOCKS: BucketLocks = {
  pageSize: 1,
  lock: async () => {},
  release: async () => {},
  list: async () => [],
}
