import type pg from 'pg'

type Pool = Pick<pg.Pool, 'query'>

/** Ends the connections to a test's own database that have this name; the server has those of other tests, too. */
export async function endSessions(pool: Pool, name: string): Promise<number> {
  const { rowCount } = await pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name = $1`,
    [name]
  )
  return rowCount!
}
