import type pg from 'pg'

/**
 * Runs work in one transaction: all of it is kept, or nothing. A connection that broke is not given back to the pool.
 */
export async function inTransaction<T>(
  pool: pg.Pool,
  work: (transaction: pg.ClientBase) => Promise<T>
): Promise<T> {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    await client.query('begin')
    const result = await work(client)
    await client.query('commit')
    return result
  } catch (error) {
    broken = await rolledBack(client)
    throw error
  } finally {
    client.release(broken)
  }
}

async function rolledBack(client: pg.ClientBase): Promise<Error | undefined> {
  try {
    await client.query('rollback')
    return undefined
  } catch (error) {
    return error as Error
  }
}
