import { Gauge } from 'prom-client'

import { metrics } from '#observability/metrics'

const waiting = new Gauge({
  name: 'mailbox_waiting',
  help: 'Requests that wait for messages: parked ones and streams',
  labelNames: ['kind'] as const,
  registers: [metrics],
})

export const parkedRequests = waiting.labels('parked')
export const openStreams = waiting.labels('stream')
