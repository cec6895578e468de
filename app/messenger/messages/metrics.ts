import { Counter } from 'prom-client'

import { metrics } from '#observability/metrics'

const messages = new Counter({
  name: 'messages_total',
  help: 'Messages, one for each recipient, by what became of them here',
  labelNames: ['event'] as const,
  registers: [metrics],
})

export const messageMetrics = {
  sent: (count: number) => messages.inc({ event: 'sent' }, count),
  acknowledged: (count: number) => messages.inc({ event: 'acknowledged' }, count),
  expired: (count: number) => messages.inc({ event: 'expired' }, count),
}
