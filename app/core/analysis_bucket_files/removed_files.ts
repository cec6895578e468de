import type pg from 'pg'

const REMEMBER = `insert into removed_analysis_files (analysis_bucket_id, bucket_file_id)
  values ($1, $2) on conflict do nothing`

const FIND = `select bucket_file_id as id from removed_analysis_files
  where analysis_bucket_id = $1 and bucket_file_id = any($2::uuid[])`

/** A file in the bucket of an analysis. */
interface PlacedFile {
  readonly analysisBucketId: string
  readonly bucketFileId: string
}

/**
 * Files that callers removed from an analysis while storage has them. What storage reports about them later adds them
 * to the analysis no more. The caller has locked the analysis.
 */
export const removedFiles = {
  async remember(
    transaction: pg.ClientBase,
    { analysisBucketId, bucketFileId }: PlacedFile
  ): Promise<void> {
    await transaction.query(REMEMBER, [analysisBucketId, bucketFileId])
  },

  /** A caller adds the file again. */
  async forget(
    transaction: pg.ClientBase,
    { analysisBucketId, bucketFileId }: PlacedFile
  ): Promise<void> {
    await transaction.query(
      'delete from removed_analysis_files where analysis_bucket_id = $1 and bucket_file_id = $2',
      [analysisBucketId, bucketFileId]
    )
  },

  /** Storage has the file no longer. */
  async forgetDeleted(transaction: pg.ClientBase, bucketFileId: string): Promise<void> {
    await transaction.query('delete from removed_analysis_files where bucket_file_id = $1', [
      bucketFileId,
    ])
  },

  /** Which of these files were removed from the bucket. */
  async find(
    transaction: pg.ClientBase,
    analysisBucketId: string,
    ids: readonly string[]
  ): Promise<ReadonlySet<string>> {
    const { rows } = await transaction.query<{ id: string }>(FIND, [analysisBucketId, ids])
    return new Set(rows.map(({ id }) => id))
  },
}
