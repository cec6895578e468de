import type pg from 'pg'

const KILL = `select pg_terminate_backend(pid) from pg_stat_activity where $1 = any(pg_blocking_pids(pid))`

/**
 * Does something, and ends its connection to the database as soon as it waits for an analysis in the midst of a transaction.
 * What it came to is told by itself; `died` is called first.
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

/** False where it ends without having to wait. */
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
