import { env } from '#start/env'

/**
 * What a worker pool consists of, and its patience with the processes in it.
 */
const pool = {
  web: env.SURFACES.length > 0 ? env.POOL_WEB : 0,
  jobs: env.JOBS.length > 0 ? env.POOL_JOBS : 0,

  /** A process that is not ready by then is ended, which counts as a crash. */
  startLimitMs: 60_000,
  migrationLimitMs: 3_600_000,

  /** A process that still drains by then is killed; most supervisors of whole machines wait 30 seconds. */
  stopLimitMs: 28_500,

  /** Crashes in a row double the pause; a process that ran for `steadyMs` begins anew, without one. */
  restart: { shortestMs: 250, longestMs: 30_000, steadyMs: 60_000 },
}

export default pool
