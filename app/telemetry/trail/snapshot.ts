import type pg from 'pg'

/** It locks nothing that others wait for, while heads are read from the object store. */
const BEGIN = `
  begin isolation level repeatable read read only;
  set local idle_in_transaction_session_timeout = 0`

/** Runs reads in one snapshot, which stays open until the work is done. */
export async function inSnapshot<T>(
  pool: pg.Pool,
  work: (client: pg.ClientBase) => Promise<T>
): Promise<T> {
  const client = await pool.connect()
  try {
    await client.query(BEGIN)
    return await work(client)
  } finally {
    await client.query('rollback').finally(() => client.release())
  }
}
