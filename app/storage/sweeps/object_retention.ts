import { storagePool } from '#storage/database'

/** The advisory lock of an operation that needs all objects to stay, even those of deleted files. */
export const OBJECT_RETENTION_LOCK = 'objects stay'

/** The sweeps that remove objects. */
export const OBJECT_SWEEPS = ['uploads', 'objects'] as const

/**
 * Whether objects must not be removed now. Check after the removal of the record is committed: whoever takes the
 * lock later does not see the record.
 */
export async function isRemovalSuspended(): Promise<boolean> {
  const { rows } = await storagePool().query<{ isFree: boolean }>({
    name: 'try-object-retention-lock',
    text: `select pg_try_advisory_xact_lock_shared(hashtextextended('${OBJECT_RETENTION_LOCK}', 0)) as "isFree"`,
  })
  return !rows[0]!.isFree
}
