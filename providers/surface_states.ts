import { SURFACE_NAMES, type SurfaceName } from '#configuration/surfaces'
import type { SurfaceStatus } from '#core/administration/installation_status'
import { health } from '#observability/health'
import { env } from '#start/env'

const TIMEOUT_MS = 3_000

const ADDRESSES: Record<SurfaceName, string | undefined> = {
  core: env.CORE_URL,
  storage: env.STORAGE_URL,
  telemetry: env.TELEMETRY_URL,
  messenger: env.MESSENGER_URL,
  identity: env.IDENTITY_URL,
}

/** The states of this process's surfaces and of those with a known address. */
export async function surfaceStates(): Promise<SurfaceStatus[]> {
  const states = await Promise.all(SURFACE_NAMES.map(stateOf))
  return states.filter((state) => state !== undefined)
}

async function stateOf(name: SurfaceName): Promise<SurfaceStatus | undefined> {
  if (env.SURFACES.includes(name)) {
    const [failing, degraded] = await Promise.all([health.failing(), health.degraded()])
    const reasons = [...failing, ...degraded].map((check) => `${check.name}: ${check.reason}`)
    return { name, address: null, isReady: failing.length === 0, reasons }
  }
  const address = ADDRESSES[name]
  return address === undefined ? undefined : stateAt(name, address)
}

/** Reads the readiness of a surface. An external provider may have no such endpoint, so any response suffices. */
async function stateAt(name: SurfaceName, address: string): Promise<SurfaceStatus> {
  try {
    const response = await fetch(`${address}/health/ready`, {
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    await response.body?.cancel()
    const isReady = name === 'identity' ? response.status < 500 : response.ok
    return { name, address, isReady, reasons: isReady ? [] : [`answered ${response.status}`] }
  } catch (error) {
    return { name, address, isReady: false, reasons: [(error as Error).message] }
  }
}
