import type pg from 'pg'

import { timestampText } from '#query/sql/timestamp'

/** A complete backup of this installation. */
export interface TakenBackup {
  readonly id: string
  readonly beganAt: string
  readonly endedAt: string
  readonly version: string
}

const LIMIT = 5

/** The newest backups, the last one first. */
export async function takenBackups(pool: pg.Pool): Promise<TakenBackup[]> {
  const { rows } = await pool.query<TakenBackup>(
    `select id, ${timestampText('started_at')} as "beganAt", ${timestampText('ended_at')} as "endedAt", version
     from backups order by ended_at desc limit ${LIMIT}`
  )
  return rows
}
