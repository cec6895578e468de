import type { BackupClient } from '#backup/backup_client'
import type { Layout } from '#storage/objects/layout'

const LOCATIONS = [
  `insert into bucket_locations (bucket_id, layout, registered_at)
   select bucket_id, $1, max(registered_at) from bucket_locations where layout <> $1 group by bucket_id
   on conflict (bucket_id, layout) do nothing`,
  'delete from bucket_locations where layout <> $1',
  'update bucket_files set layout = $1 where layout <> $1',
]

/** Changes the rows of storage to the configured layout. */
export async function relocateObjects(client: BackupClient, layout: Layout): Promise<void> {
  await client.query('begin')
  await client.query('alter table bucket_files disable trigger user')
  for (const statement of LOCATIONS) {
    await client.query(statement, [layout])
  }
  await client.query('alter table bucket_files enable trigger user')
  await client.query('commit')
}
