import type pg from 'pg'

import { eventually } from '#tests/helpers/eventually'

const WAITING = 'select 1 from pg_stat_activity where $1 = any(pg_blocking_pids(pid))'

type Pool = Pick<pg.Pool, 'query'>

export async function pidOf(connection: Pick<pg.ClientBase, 'query'>): Promise<number> {
  const { rows } = await connection.query('select pg_backend_pid() as pid')
  return rows[0].pid
}

/** Resolves when another session waits for a lock that this one holds. */
export async function untilBlocking(pool: Pool, pid: number): Promise<void> {
  await eventually(async () => (await pool.query(WAITING, [pid])).rowCount! > 0)
}
