import type pg from 'pg'

/** Does work where no other process is doing it, undefined where one is. */
export type Leading = <T>(name: string, work: () => Promise<T>) => Promise<T | undefined>

export const leadingOn =
  (pool: pg.Pool): Leading =>
  (name, work) =>
    asLeader(pool, name, work)

/**
 * Does work where no other process is doing it, undefined where one is. The lock goes with its connection, so that a leader that
 * was killed makes room.
 */
export async function asLeader<T>(
  pool: pg.Pool,
  name: string,
  work: () => Promise<T>
): Promise<T | undefined> {
  const client = await pool.connect()
  try {
    const { rows } = await client.query<{ leads: boolean }>(
      'select pg_try_advisory_lock(hashtextextended($1, 0)) as leads',
      [name]
    )
    if (!rows[0]?.leads) {
      return undefined
    }
    try {
      return await work()
    } finally {
      await client.query('select pg_advisory_unlock(hashtextextended($1, 0))', [name])
    }
  } finally {
    client.release()
  }
}
