import type pg from 'pg'

/** Work that must stop when the lock is lost. */
type LockedWork<T> = (lost: AbortSignal) => Promise<T>

/** Runs work if no other process holds the lock; otherwise returns undefined. */
export type LeaderElection = <T>(name: string, work: LockedWork<T>) => Promise<T | undefined>

/** The connection or folder of a lock was lost, so another process may acquire it. */
export class LockLost extends Error {
  static readonly code = 'lock_lost'
  readonly code = LockLost.code

  constructor(name: string, cause?: Error) {
    super(`The lock "${name}" was lost: another process may have acquired it`, { cause })
  }
}

export const electionOn =
  (pool: pg.Pool): LeaderElection =>
  (name, work) =>
    runAsLeader(pool, name, work)

/**
 * Runs work under an advisory lock; returns undefined if another process holds it. PostgreSQL releases the lock with
 * its connection, also if the leader is killed. If the connection breaks, the signal aborts and the call rejects.
 */
export async function runAsLeader<T>(
  pool: pg.Pool,
  name: string,
  work: LockedWork<T>
): Promise<T | undefined> {
  const client = await pool.connect()
  const lost = new AbortController()
  const onLost = (error?: Error) => lost.abort(new LockLost(name, error))
  // A broken connection may emit several errors: the reason of the server, then that it is closed.
  client.on('error', onLost).on('end', onLost)
  try {
    const { rows } = await client.query<{ leads: boolean }>(
      'select pg_try_advisory_lock(hashtextextended($1, 0)) as leads',
      [name]
    )
    if (!rows[0]?.leads) {
      return undefined
    }
    const done = await work(lost.signal).finally(() => unlock(client, name, lost.signal))
    lost.signal.throwIfAborted()
    return done
  } finally {
    client.off('error', onLost).off('end', onLost)
    client.release(lost.signal.aborted)
  }
}

async function unlock(client: pg.PoolClient, name: string, lost: AbortSignal): Promise<void> {
  if (!lost.aborted) {
    await client.query('select pg_advisory_unlock(hashtextextended($1, 0))', [name])
  }
}
