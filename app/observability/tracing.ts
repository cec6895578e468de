import type { Step, TraceFields, Tracing, TracingSettings } from './spans.js'

/** Undefined without a collector; the tracing library is not loaded then. */
export let tracing: Tracing | undefined

export async function startTracing({ endpoint, ...settings }: TracingSettings): Promise<void> {
  if (endpoint && !tracing) {
    const { OpenTelemetry } = await import('./open_telemetry.js')
    tracing = new OpenTelemetry({ endpoint, ...settings })
  }
}

/** Flushes pending spans. */
export async function stopTracing(): Promise<void> {
  await tracing?.shutdown()
  tracing = undefined
}

/** Runs work as a step of the active trace, if there is one. */
export function measureStep<T>(step: Step, work: () => Promise<T>): Promise<T> {
  return tracing ? tracing.measure(step, work) : work()
}

/** Runs work as a step of a trace that arrived from another process, if it did. */
export function resumeTrace<T>(
  traceparent: string | undefined,
  step: Step,
  work: () => Promise<T>
): Promise<T> {
  return tracing && traceparent !== undefined ? tracing.resume(traceparent, step, work) : work()
}

/** What another process continues the active trace with; undefined if nothing is recorded. */
export const currentTraceparent = (): string | undefined => tracing?.traceparent

/** The headers that continue the active trace at another server. */
export function traceHeaders(): { traceparent?: string } {
  const traceparent = currentTraceparent()
  return traceparent === undefined ? {} : { traceparent }
}

export const traceLogFields = (): TraceFields => tracing?.logFields ?? {}
