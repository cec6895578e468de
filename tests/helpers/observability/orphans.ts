import type { CollectedSpan } from './trace_collector.js'

/** The spans whose parent is neither among them nor the caller's, given as W3C `traceparent`. */
export function orphansAmong(spans: readonly CollectedSpan[], caller: string): CollectedSpan[] {
  const known = new Set([caller.split('-')[2], ...spans.map(({ spanId }) => spanId)])
  return spans.filter(({ parentSpanId }) => !known.has(parentSpanId))
}
