import { env } from '#start/env'

/**
 * The size of a worker pool, and the time limits of its processes.
 */
const pool = {
  web: env.SURFACES.length > 0 ? env.POOL_WEB : 0,
  jobs: env.JOBS.length > 0 ? env.POOL_JOBS : 0,

  /** A process that is not ready within this time is killed, which counts as a crash. Busy machines need minutes. */
  startLimitMs: 300_000,
  migrationLimitMs: 3_600_000,

  /** A process that drains longer is killed; most supervisors wait 30 seconds. */
  stopLimitMs: 28_500,

  /** Repeated crashes double the pause; a process that ran for `steadyMs` restarts without one. */
  restart: { shortestMs: 250, longestMs: 30_000, steadyMs: 60_000 },
}

export default pool
