import { Counter } from 'prom-client'

import { metrics } from '#observability/metrics'

const KNOWN_TYPES = [
  'PUSH_ARTIFACT',
  'PULL_ARTIFACT',
  'DELETE_ARTIFACT',
  'SCANNING_COMPLETED',
  'SCANNING_FAILED',
  'QUOTA_EXCEED',
  'QUOTA_WARNING',
]

const registryEvents = new Counter({
  name: 'registry_events_total',
  help: 'Events received from registries, by type',
  labelNames: ['type'] as const,
  registers: [metrics],
})

/** Counts a webhook event. Unknown types share one label. */
export const countRegistryEvent = (type: string) =>
  registryEvents.inc({ type: KNOWN_TYPES.includes(type) ? type : 'other' })
