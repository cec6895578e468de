import { storagePool } from '#storage/database'

/** The realm of a bucket; undefined if there is no bucket with this id. */
export async function bucketRealm(id: string): Promise<string | null | undefined> {
  const { rows } = await storagePool().query<{ realmId: string | null }>(
    'select realm_id as "realmId" from buckets where id = $1',
    [id]
  )
  return rows[0]?.realmId
}
