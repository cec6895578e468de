import { storagePool } from '#storage/database'

/** The lock of whoever needs the objects of files to stay, also of those that are removed meanwhile. */
export const OBJECT_RETENTION_LOCK = 'objects stay'

/** The sweeps that remove objects. */
export const OBJECT_SWEEPS = ['uploads', 'objects'] as const

/**
 * Whether objects must not be removed now. Asked after the removal of a record was committed: who takes the lock later, and looks at the
 * records then, does not see that one any more.
 */
export async function isRemovalSuspended(): Promise<boolean> {
  const { rows } = await storagePool().query<{ isFree: boolean }>({
    name: 'objects-may-go',
    text: `select pg_try_advisory_xact_lock_shared(hashtextextended('${OBJECT_RETENTION_LOCK}', 0)) as "isFree"`,
  })
  return !rows[0]!.isFree
}
