import { drain } from '#kernel/drain'
import { ServiceUnavailable } from '#kernel/failures'
import { issue } from '#kernel/issues'
import { health, type FailedCheck } from '#observability/health'

export interface Readiness {
  readonly status: 'ok' | 'degraded'
  /** Unavailable dependencies that most requests do not need. */
  readonly degraded?: readonly FailedCheck[]
}

export const readinessOf = (degraded: readonly FailedCheck[]): Readiness =>
  degraded.length > 0 ? { status: 'degraded', degraded } : { status: 'ok' }

/** Like `requireReady`; returns the unavailable optional dependencies. */
export async function readiness(): Promise<Readiness> {
  const [degraded] = await Promise.all([health.degraded(), requireReady()])
  return readinessOf(degraded)
}

/** Throws the failure that names the required dependencies that are unavailable, or that this process is stopping. */
async function requireReady(): Promise<void> {
  drain.requireRunning()
  const failing = await health.failing()
  if (failing.length > 0) {
    const names = failing.map(({ name }) => name).join(', ')
    const issues = failing.map(({ name, reason }) => issue('unavailable', [name], reason))
    throw new ServiceUnavailable(`Not ready: ${names}`, { issues })
  }
}
