import { env } from '#start/env'

import type { Tracing } from './spans.js'

/** Undefined where no collector is configured; nothing of the tracing library is loaded then. */
export let tracing: Tracing | undefined

export async function startTracing(): Promise<void> {
  if (env.OTEL_EXPORTER_OTLP_ENDPOINT && !tracing) {
    const { OpenTelemetry } = await import('./open_telemetry.js')
    tracing = new OpenTelemetry(env.OTEL_EXPORTER_OTLP_ENDPOINT)
  }
}

/** Sends what was not sent yet. */
export async function stopTracing(): Promise<void> {
  await tracing?.shutdown()
  tracing = undefined
}
