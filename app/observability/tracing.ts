import type { Tracing } from './spans.js'

/** Undefined without a collector; the tracing library is not loaded then. */
export let tracing: Tracing | undefined

export async function startTracing(endpoint: string | undefined): Promise<void> {
  if (endpoint && !tracing) {
    const { OpenTelemetry } = await import('./open_telemetry.js')
    tracing = new OpenTelemetry(endpoint)
  }
}

/** Flushes pending spans. */
export async function stopTracing(): Promise<void> {
  await tracing?.shutdown()
  tracing = undefined
}
