/** A lock on buckets of storage, under an id of ours. */
export interface BucketLock {
  readonly id: string
  readonly bucketIds: readonly string[]
}

export interface StoredLock {
  readonly id: string
  readonly createdAt: Date
}

/**
 * Locks on buckets at storage: in this process, or at its address. While a bucket has one, storage takes no file into it or out of
 * it. Each call may be repeated, and rejects with `ServiceUnavailable` while storage cannot be asked.
 */
export interface BucketLocks {
  readonly pageSize: number
  /** Once this resolves, no file is on its way that storage would still take. */
  lock(locks: readonly BucketLock[]): Promise<void>
  release(id: string): Promise<void>
  /** The locks that are there, in the order of their ids, behind one of them; the last page is shorter than `pageSize`. */
  list(after: string): Promise<readonly StoredLock[]>
}

/** Where there is no storage, there is nothing to lock. */
export const NO_LOCKS: BucketLocks = {
  pageSize: 1,
  lock: async () => {},
  release: async () => {},
  list: async () => [],
}
