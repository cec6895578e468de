import { BackupClient } from './backup_client.js'
import type { Installation } from './installation.js'
import type { Manifest } from './manifest.js'

const MAX_KEPT = 20

const NOTE = `
  with noted as (
    insert into backups (id, started_at, ended_at, version) values ($1, $2, $3, $4)
  )
  delete from backups where id in (select id from backups order by ended_at desc offset ${MAX_KEPT - 1})`

/** Notes a complete backup in the database of core, where operators see how old the last one is. */
export async function noteBackup(
  { databases }: Pick<Installation, 'databases'>,
  { id, beganAt, endedAt, version }: Manifest
): Promise<void> {
  const core = databases.find(({ surfaces }) => surfaces.includes('core'))
  if (!core) {
    return
  }
  const client = await BackupClient.open(core.url)
  try {
    await client.query(NOTE, [id, beganAt, endedAt, version])
  } finally {
    await client.close()
  }
}
