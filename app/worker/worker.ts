import { KeyedMutex } from '#kernel/keyed_mutex'
import { COMPONENTS, type Component } from './components.js'
import { JobConsumer, type JobConsumerDependencies } from './job_consumer.js'
import type { Job } from './job.js'

export interface RunningWorker {
  /** Lets jobs finish within the grace period. Requeues all others. */
  stop(): Promise<void>
}

/** Consumes the commands that have jobs, until stopped. */
export async function startWorker(
  jobs: readonly Job[],
  dependencies: Omit<JobConsumerDependencies, 'suspects'>
): Promise<RunningWorker> {
  const suspects = new KeyedMutex()
  const components: readonly Component[] = Object.values(COMPONENTS)
  const consumers: JobConsumer[] = []
  for (const component of components) {
    const own = jobs.filter((job) => job.component.name === component.name)
    if (own.length > 0) {
      consumers.push(await JobConsumer.start(component, own, { ...dependencies, suspects }))
    }
  }
  return {
    async stop() {
      await Promise.all(consumers.map((consumer) => consumer.stop()))
    },
  }
}
