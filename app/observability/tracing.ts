import type { HttpContext, HttpRequest } from '@adonisjs/core/http'

import { env } from '#start/env'

export interface RequestSpan {
  /** Runs the rest of the request inside the span, so that what it does becomes part of the trace. */
  run<T>(work: () => T): T
  end(ctx: HttpContext): void
}

export interface Tracing {
  startRequest(request: HttpRequest): RequestSpan
  /** Wraps a piece of work in a span of its own below the current one. */
  measure<T>(name: string, attributes: Record<string, string>, work: () => Promise<T>): Promise<T>
  shutdown(): Promise<void>
}

/** Undefined where no collector is configured; nothing of the tracing library is loaded then. */
export let tracing: Tracing | undefined

export async function startTracing(): Promise<void> {
  if (env.OTEL_EXPORTER_OTLP_ENDPOINT && !tracing) {
    const { OpenTelemetry } = await import('#observability/open_telemetry')
    tracing = new OpenTelemetry(env.OTEL_EXPORTER_OTLP_ENDPOINT)
  }
}

/** Sends what was not sent yet. */
export async function stopTracing(): Promise<void> {
  await tracing?.shutdown()
  tracing = undefined
}
