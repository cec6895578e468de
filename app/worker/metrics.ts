import { Histogram } from 'prom-client'

import { metrics } from '#observability/metrics'
import type { Job } from './job.js'

const jobs = new Histogram({
  name: 'worker_job_seconds',
  help: 'Time of one job of the worker, by whether it was done, failed, or went back to its queue',
  labelNames: ['component', 'command', 'outcome'] as const,
  buckets: [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 1800],
  registers: [metrics],
})

export type JobOutcome = 'done' | 'failed' | 'returned'

/** Starts the timer of a job. Call the result with its outcome. */
export function measureJob({ component, command }: Job): (outcome: JobOutcome) => void {
  const stop = jobs.startTimer({ component: component.name, command })
  return (outcome) => void stop({ outcome })
}
