import type pg from 'pg'

/** Work that has to stop once another process may have taken the lock. */
type LockedWork<T> = (lost: AbortSignal) => Promise<T>

/** Does work where no other process is doing it, undefined where one is. */
export type LeaderElection = <T>(name: string, work: LockedWork<T>) => Promise<T | undefined>

/** The lock of a leader went with its connection, or its folder, and is free. */
export class LockLost extends Error {
  static readonly code = 'lock_lost'
  readonly code = LockLost.code

  constructor(name: string, cause?: Error) {
    super(`The lock "${name}" was lost: another process may do its work now`, { cause })
  }
}

export const electionOn =
  (pool: pg.Pool): LeaderElection =>
  (name, work) =>
    runAsLeader(pool, name, work)

/**
 * Does work where no other process is doing it, undefined where one is. The lock goes with its connection, so that a leader that
 * was killed makes room; one whose connection breaks is told so by the signal, and rejects.
 */
export async function runAsLeader<T>(
  pool: pg.Pool,
  name: string,
  work: LockedWork<T>
): Promise<T | undefined> {
  const client = await pool.connect()
  const lost = new AbortController()
  const onLost = (error?: Error) => lost.abort(new LockLost(name, error))
  // A connection that ends may report several errors: the server's reason, then that it is closed.
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
