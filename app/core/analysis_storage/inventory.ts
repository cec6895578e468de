import type { StoredFile } from '#core/analysis_bucket_files/analysis_bucket_file_service'
import type { Actor } from '#kernel/actor'

export const FIRST_ID = '00000000-0000-0000-0000-000000000000'

/** A bucket at storage, with the name that identifies its analysis. */
export interface InventoryBucket {
  readonly id: string
  readonly name: string
  readonly createdAt: Date
}

export interface InventoryFile extends StoredFile {
  readonly createdAt: Date
}

/**
 * The contents of storage, which runs in this process or elsewhere. Pages are sorted by id and start after a given id;
 * the last page is shorter than `pageSize`. Rejects with `ServiceUnavailable` while storage is not reachable.
 */
export interface Inventory {
  readonly pageSize: number
  /** Which of these buckets exist. */
  findBuckets(ids: readonly string[]): Promise<ReadonlySet<string>>
  /** Which of these files exist, in any bucket. */
  findFiles(ids: readonly string[]): Promise<ReadonlySet<string>>
  /** The buckets created by an actor. */
  listBuckets(owner: Pick<Actor, 'kind' | 'id'>, after: string): Promise<readonly InventoryBucket[]>
  listFiles(bucketId: string, after: string): Promise<readonly InventoryFile[]>
}
