import type pg from 'pg'

const KILL = `select pg_terminate_backend(pid) from pg_stat_activity where $1 = any(pg_blocking_pids(pid))`

/**
 * Runs work, and closes its database connection as soon as it waits for the lock of an analysis. The work returns its
 * own outcome; `died` is called first.
 */
export async function killedMidway<T>(
  pool: pg.Pool,
  analysisId: string,
  work: () => Promise<T>,
  died: () => Promise<void>
): Promise<T> {
  const other = await pool.connect()
  try {
    await other.query('begin')
    await other.query('select 1 from analyses where id = $1 for update', [analysisId])
    const { rows } = await other.query<{ pid: number }>('select pg_backend_pid() as pid')
    const done = work()
    if (await isKilled(pool, rows[0]!.pid, done)) {
      await died()
    }
    await other.query('rollback')
    return await done
  } finally {
    other.release()
  }
}

/** False if it ends without waiting. */
async function isKilled(pool: pg.Pool, holder: number, done: Promise<unknown>): Promise<boolean> {
  let isOver = false
  const end = () => void (isOver = true)
  done.then(end, end)
  while (!isOver) {
    const { rowCount } = await pool.query(KILL, [holder])
    if (rowCount! > 0) {
      return true
    }
  }
  return false
}
