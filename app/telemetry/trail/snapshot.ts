import type pg from 'pg'

/** Runs reads in one snapshot, which stays open until the work is done. */
export async function inSnapshot<T>(
  pool: pg.Pool,
  work: (client: pg.ClientBase) => Promise<T>
): Promise<T> {
  const client = await pool.connect()
  try {
    await client.query('begin isolation level repeatable read read only')
    return await work(client)
  } finally {
    await client.query('rollback').finally(() => client.release())
  }
}
