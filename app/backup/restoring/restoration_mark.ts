import type { BackupClient } from '#backup/backup_client'
import { RESTORATION } from '#database/restoration'

/** Marks a database as incompletely restored. */
export async function markRestoring(client: BackupClient, backup: string): Promise<void> {
  await client.query(`create table if not exists ${RESTORATION} (
    backup text not null, is_loaded boolean not null default false)`)
  await client.query(
    `insert into ${RESTORATION} (backup) select $1 where not exists (select from ${RESTORATION})`,
    [backup]
  )
}

export async function isLoaded(client: BackupClient): Promise<boolean> {
  const { rows } = await client.query<{ isLoaded: boolean }>(
    `select is_loaded as "isLoaded" from ${RESTORATION}`
  )
  return rows[0]?.isLoaded === true
}

/** Call in the transaction that loads the rows. */
export async function markLoaded(client: BackupClient): Promise<void> {
  await client.query(`update ${RESTORATION} set is_loaded = true`)
}

export async function clearMark(client: BackupClient): Promise<void> {
  await client.query(`drop table ${RESTORATION}`)
}
