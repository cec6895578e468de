import { ServiceUnavailable } from '#kernel/failures'
import { issue } from '#kernel/issues'
import { health } from '#observability/health'

/**
 * Throws the failure that says what keeps this process from answering; returns where nothing does.
 */
export async function requireReady(): Promise<void> {
  const failing = await health.failing()
  if (failing.length > 0) {
    const names = failing.map(({ name }) => name).join(', ')
    const issues = failing.map(({ name, reason }) => issue('unavailable', [name], reason))
    throw new ServiceUnavailable(`Not ready: ${names}`, { issues })
  }
}
