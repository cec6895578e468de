import { readJson } from '#client/body'
import { SURFACE_NAMES, type SurfaceName } from '#configuration/surfaces'
import type { Addresses } from './addresses.js'
import { reach } from './reach.js'

const TIMEOUT_MS = 5_000

export interface ServiceState {
  readonly service: SurfaceName
  readonly answers: boolean
  readonly version: string | null
  readonly milliseconds: number
  /** Why it is unavailable or degraded. */
  readonly reason: string | null
}

/** Checks whether the services of a platform respond. */
export function serviceStates(addresses: Addresses): Promise<ServiceState[]> {
  return Promise.all(SURFACE_NAMES.map((service) => stateOf(service, addresses.of(service))))
}

async function stateOf(service: SurfaceName, address: string): Promise<ServiceState> {
  const startedAt = performance.now()
  const state = (answers: boolean, version: string | null, reason: string | null) => ({
    service,
    answers,
    version,
    milliseconds: Math.round(performance.now() - startedAt),
    reason,
  })
  try {
    const ready = await reach(`${address}/health/ready`, { timeoutMs: TIMEOUT_MS })
    if (!ready.ok) {
      await ready.body?.cancel()
      return state(false, null, `${address} is not ready: it answered ${ready.status}`)
    }
    return state(true, await versionAt(address), await degradationIn(ready))
  } catch (error) {
    return state(false, null, (error as Error).message)
  }
}

/** The optional dependencies that a service runs without. */
async function degradationIn(ready: Response): Promise<string | null> {
  const { degraded } = await readJson<{ degraded?: { name: string }[] }>(ready).catch(() => ({
    degraded: undefined,
  }))
  const names = Array.isArray(degraded) ? degraded.map(({ name }) => String(name)) : []
  return names.length > 0 ? `degraded: ${names.join(', ')}` : null
}

async function versionAt(address: string): Promise<string | null> {
  const response = await reach(`${address}/`, { timeoutMs: TIMEOUT_MS })
  const { version } = await readJson<{ version?: string }>(response).catch(() => ({
    version: undefined,
  }))
  return version ?? null
}
