import { PassedTraces } from './passed_traces.js'
import type { Step, TraceFields, Tracing, TracingSettings } from './spans.js'

/** Undefined without a collector; the tracing library is not loaded then. */
export let tracing: Tracing | undefined

export async function startTracing({ endpoint, ...settings }: TracingSettings): Promise<void> {
  if (endpoint && !tracing) {
    const { OpenTelemetry } = await import('./open_telemetry.js')
    tracing = new OpenTelemetry({ endpoint, ...settings })
  }
}

/** Lets requests carry the traces of other processes on, where none is recorded. */
export function passTracesOn(): void {
  tracing ??= new PassedTraces()
}

/** Flushes pending spans. */
export async function stopTracing(): Promise<void> {
  await tracing?.shutdown()
  tracing = undefined
}

/** Runs work as a step of the active trace, if there is one. */
export function measureStep<T>(step: Step<T>, work: () => Promise<T>): Promise<T> {
  return tracing ? tracing.measure(step, work) : work()
}

/** Runs work as a step of a trace that arrived from another process, if it did. */
export function resumeTrace<T>(
  traceparent: string | undefined,
  step: Step<T>,
  work: () => Promise<T>
): Promise<T> {
  return tracing && traceparent !== undefined ? tracing.resume(traceparent, step, work) : work()
}

/** Runs work outside of the active trace, such as work that also serves other callers. */
export const suspendTrace = <T>(work: () => T): T => (tracing ? tracing.suspend(work) : work())

/** What another process continues the active trace with; undefined if nothing is recorded. */
export const currentTraceparent = (): string | undefined => tracing?.traceparent

/** The headers that continue the active trace at another server. */
export function traceHeaders(): { traceparent?: string } {
  const traceparent = currentTraceparent()
  return traceparent === undefined ? {} : { traceparent }
}

/** For clients that know nothing of traces. */
export const requestTracing = { measure: measureStep, headers: traceHeaders }

export const traceLogFields = (): TraceFields => tracing?.logFields ?? {}
