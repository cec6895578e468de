import { isEmbedded } from '#configuration/embedded_drivers'
import { requiredConcerns } from '#configuration/processes'
import { StartFailure } from '#kernel/start_failure'
import type { Env } from '#configuration/variables'

interface PoolSize {
  web: number
  jobs: number
}

/** Rejects a pool without work, or with drivers that its processes cannot share. */
export function requirePoolable(env: Env, { web, jobs }: PoolSize): void {
  if (web + jobs === 0) {
    throw new StartFailure(
      'A pool without surfaces and without jobs has nothing to do: set SURFACES, or JOBS and POOL_JOBS.'
    )
  }
  const unshared = unsharedDrivers(env, web)
  if (unshared.length > 0) {
    const drivers = unshared.map(({ driver }) => driver)
    const variables = unshared.map(({ variable }) => variable)
    throw new StartFailure(
      `The processes of a pool cannot share ${enumerated(drivers)}: set ${enumerated(variables)}, ` +
        'or start a single process with "npm start".'
    )
  }
}

function unsharedDrivers(env: Env, web: number): { driver: string; variable: string }[] {
  const needs = requiredConcerns(env)
  const servesTelemetry = env.SURFACES.includes('telemetry')
  return [
    ...(needs.has('bus') && isEmbedded('bus', env)
      ? [{ driver: 'the memory bus', variable: 'AMQP_URL' }]
      : []),
    ...(needs.has('signals') && isEmbedded('signals', env)
      ? [{ driver: 'memory signals', variable: 'REDIS_URL' }]
      : []),
    ...(servesTelemetry && web > 1 && isEmbedded('logs', env)
      ? [{ driver: 'the memory log store', variable: 'LOGSTORE_URL' }]
      : []),
  ]
}

function enumerated(items: readonly string[]): string {
  return new Intl.ListFormat('en').format(items)
}
