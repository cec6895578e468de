import type pg from 'pg'

import { pidOf, untilBlocking } from '#tests/helpers/database/blocked_sessions'

/** What another transaction does to a record: it locks something, and goes on when somebody waits for that. */
interface Other {
  readonly locks: string
  readonly then: string
  readonly id: unknown
}

/**
 * Does something while another transaction holds what it needs. Answers what that came to. Throws where the two wait for each other:
 * the other one waits for nobody, or fails before the database would end one of them.
 */
export async function withLockedRow<T>(
  pool: pg.Pool,
  { locks, then, id }: Other,
  work: () => Promise<T>
): Promise<T | Error> {
  const other = await pool.connect()
  try {
    await other.query('begin')
    await other.query(`set local lock_timeout = '200ms'`)
    const pid = await pidOf(other)
    await other.query(locks, [id])
    const done = work().catch((error: Error) => error)
    await untilBlocking(pool, pid)
    await other.query(then, [id])
    await other.query('commit')
    return await done
  } finally {
    await other.query('rollback')
    other.release()
  }
}
