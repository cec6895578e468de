/** Knows the realms of buckets of storage. */
export abstract class BucketRealms {
  /** Null for a bucket without a realm; undefined if the bucket is unknown, or without storage. */
  abstract find(bucketId: string): Promise<string | null | undefined>
}
