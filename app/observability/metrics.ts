import { collectDefaultMetrics, Histogram, Registry } from 'prom-client'

import { SeriesCache } from './series_cache.js'

/**
 * The metrics of this process, served on the admin port.
 */
export const metrics = new Registry()

const requests = new Histogram({
  name: 'http_request_duration_seconds',
  help: 'Time from the head of a request to the end of its answer',
  labelNames: ['surface', 'method', 'route', 'status'] as const,
  buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
  registers: [metrics],
})

export interface FinishedRequest {
  surface: string
  method: string
  /** The pattern of the route, never the path, so that ids do not create series. */
  route: string
  status: number
  seconds: number
}

const series = new SeriesCache(requests)

export function observeRequest({ seconds, ...labels }: FinishedRequest): void {
  const { surface, method, route, status } = labels
  const key = `${method} ${status} ${route}`
  series.for(key, surface, method, route, String(status)).observe(seconds)
}

/**
 * Adds the figures of the process itself: CPU, memory, event loop.
 */
export function collectProcessMetrics(): void {
  collectDefaultMetrics({ register: metrics })
}
