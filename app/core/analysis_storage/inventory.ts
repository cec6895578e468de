import type { StoredFile } from '#core/analysis_bucket_files/analysis_bucket_file_service'
import type { Actor } from '#kernel/actor'

export const FIRST_ID = '00000000-0000-0000-0000-000000000000'

/** A bucket of the storage, by what is needed to find its analysis. */
export interface InventoryBucket {
  readonly id: string
  readonly name: string
  readonly createdAt: Date
}

export interface InventoryFile extends StoredFile {
  readonly createdAt: Date
}

/**
 * What storage really has: in this process, or at its address. Pages are in the order of ids and begin behind one of them; the last one
 * is shorter than `pageSize`. Rejects with `ServiceUnavailable` while storage cannot be asked.
 */
export interface Inventory {
  readonly pageSize: number
  /** Which of these buckets are there. */
  findBuckets(ids: readonly string[]): Promise<ReadonlySet<string>>
  /** Which of these files are there, in whatever bucket. */
  findFiles(ids: readonly string[]): Promise<ReadonlySet<string>>
  /** The buckets that somebody made. */
  listBuckets(owner: Pick<Actor, 'kind' | 'id'>, after: string): Promise<readonly InventoryBucket[]>
  listFiles(bucketId: string, after: string): Promise<readonly InventoryFile[]>
}
