import { env } from '#start/env'

import type { Tracing } from './spans.js'

/** Undefined without a collector; the tracing library is not loaded then. */
export let tracing: Tracing | undefined

export async function startTracing(): Promise<void> {
  if (env.OTEL_EXPORTER_OTLP_ENDPOINT && !tracing) {
    const { OpenTelemetry } = await import('./open_telemetry.js')
    tracing = new OpenTelemetry(env.OTEL_EXPORTER_OTLP_ENDPOINT)
  }
}

/** Flushes pending spans. */
export async function stopTracing(): Promise<void> {
  await tracing?.shutdown()
  tracing = undefined
}
