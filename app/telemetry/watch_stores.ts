import { health } from '#observability/health'
import { telemetryPool } from './database.js'
import { telemetrySettings } from './telemetry_settings.js'
import { lateHeads } from '#telemetry/trail/late_heads'

const LOG_STORE_WITHIN_MS = 1_500

/** Adds health checks of the optional dependencies of telemetry. */
export function watchStores(): void {
  health.watchOptional('audit heads', async () => {
    const problem = await lateHeads(telemetryPool())
    if (problem !== undefined) {
      throw new Error(problem)
    }
  })
  const { logStoreAddresses } = telemetrySettings()
  if (logStoreAddresses.length > 0) {
    health.watchOptional('log store', async () => {
      await Promise.all(logStoreAddresses.map(requireAnswer))
    })
  }
}

async function requireAnswer(address: string): Promise<void> {
  const signal = AbortSignal.timeout(LOG_STORE_WITHIN_MS)
  const response = await fetch(`${address}/health`, { signal, redirect: 'manual' }).catch(
    (error: unknown) => {
      throw new Error('it does not answer', { cause: error })
    }
  )
  await response.body?.cancel()
  if (!response.ok) {
    throw new Error(`it answers ${response.status}`)
  }
}
