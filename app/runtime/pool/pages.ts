import { AggregatorRegistry, Counter, Gauge } from 'prom-client'

import { JSON_TYPE } from '#http/send_json'
import { readinessOf } from '#http/readiness'
import { drain } from '#kernel/drain'
import { ServiceUnavailable } from '#kernel/failures'
import { issue } from '#kernel/issues'
import { metrics } from '#observability/metrics'
import { OK, type Page } from '#runtime/admin_server'
import type { Answers } from './messages.js'
import type { ReloadState } from './reloads.js'
import type { Slot } from './slot.js'

/** The pages of a pool on the admin port, for all its processes. */
export function poolPages(
  slots: readonly Slot[],
  reloadState: () => ReloadState
): Record<string, Page> {
  observe(slots)
  return {
    '/health/live': async () => OK,
    '/health/ready': async () => {
      drain.requireRunning()
      await requireAllReady(slots)
      const degraded = await Promise.all(slots.map((slot) => slot.degraded()))
      return { type: JSON_TYPE, body: JSON.stringify(readinessOf(degraded.flat())) }
    },
    '/metrics': async () => ({ type: metrics.contentType, body: await collectMetrics(slots) }),
    '/reloads': async () => ({ type: JSON_TYPE, body: JSON.stringify(reloadState()) }),
  }
}

async function requireAllReady(slots: readonly Slot[]): Promise<void> {
  if (slots.length === 0) {
    throw new ServiceUnavailable('Not ready: the pool is starting')
  }
  const reports = await Promise.all(slots.map((slot) => slot.failing()))
  const failing = reports.flat()
  if (failing.length > 0) {
    const names = [...new Set(failing.map(({ name }) => name))].join(', ')
    const issues = failing.map(({ name, reason }) => issue('unavailable', [name], reason))
    throw new ServiceUnavailable(`Not ready: ${names}`, { issues })
  }
}

/** The metrics of each process, labelled with its name. Processes that do not respond are omitted. */
async function collectMetrics(slots: readonly Slot[]): Promise<string> {
  const own = metrics.getMetricsAsJSON().then((all) => labelled(all, 'primary'))
  const members = slots.map(async ({ name, current: atWork }) => {
    const all = await atWork?.request('metrics').catch(() => undefined)
    return labelled(all ?? [], name)
  })
  return AggregatorRegistry.aggregate(await Promise.all([own, ...members])).metrics()
}

function labelled(all: Answers['metrics'], name: string) {
  return all.map((metric) => ({
    ...metric,
    aggregator: 'sum',
    values: metric.values.map((value) => ({
      ...value,
      labels: { ...value.labels, process: name },
    })),
  }))
}

function observe(slots: readonly Slot[]): void {
  new Gauge({
    name: 'pool_processes',
    help: 'Slots of the pool by state',
    labelNames: ['kind', 'state'],
    registers: [metrics],
    collect() {
      this.reset()
      slots.forEach(({ kind, state }) => this.inc({ kind, state }))
    },
  })
  new Counter({
    name: 'pool_restarts_total',
    help: 'Processes that were restarted after they ended unexpectedly',
    labelNames: ['kind'],
    registers: [metrics],
    collect() {
      this.reset()
      slots.forEach(({ kind, restarts }) => this.inc({ kind }, restarts))
    },
  })
}
