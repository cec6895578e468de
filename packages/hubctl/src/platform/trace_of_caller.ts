import { isTraceparent } from '#kernel/is_traceparent'

/** The header that continues the trace of the program that calls hubctl, which is in its environment. */
export function traceOfCaller(): { traceparent?: string } {
  const { TRACEPARENT } = process.env
  return TRACEPARENT && isTraceparent(TRACEPARENT) ? { traceparent: TRACEPARENT } : {}
}
