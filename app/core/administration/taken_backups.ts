import type pg from 'pg'

/** A complete backup of this installation. */
export interface TakenBackup {
  readonly id: string
  readonly beganAt: string
  readonly endedAt: string
  readonly version: string
}

const LIMIT = 5

const utc = (column: string) =>
  `to_char(${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** The newest backups, the last one first. */
export async function takenBackups(pool: pg.Pool): Promise<TakenBackup[]> {
  const { rows } = await pool.query<TakenBackup>(
    `select id, ${utc('began_at')} as "beganAt", ${utc('ended_at')} as "endedAt", version
     from backups order by ended_at desc limit ${LIMIT}`
  )
  return rows
}
