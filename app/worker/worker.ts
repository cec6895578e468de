import { sleep } from '#kernel/backoff'
import { KeyedMutex } from '#kernel/keyed_mutex'
import { COMPONENTS, type Component } from './components.js'
import { JobConsumer, type JobConsumerDependencies } from './job_consumer.js'
import type { Job } from './job.js'

export interface RunningWorker {
  /** Lets jobs finish within the grace period. Requeues all others. */
  stop(): Promise<void>
}

type WorkerDependencies = Omit<JobConsumerDependencies, 'suspects' | 'onDiskFull'>

const LOOK_AGAIN_MS = 5_000

/** Consumes the commands that have jobs, until stopped. */
export async function startWorker(
  jobs: readonly Job[],
  dependencies: WorkerDependencies
): Promise<RunningWorker> {
  const worker = new Worker(jobs, dependencies)
  await worker.start()
  return worker
}

/** Consumes commands while its disk has space. */
class Worker implements RunningWorker {
  readonly #jobs: readonly Job[]
  readonly #dependencies: JobConsumerDependencies
  readonly #stopping = new AbortController()
  #consumers: readonly JobConsumer[] = []
  #pause: Promise<void> | undefined

  constructor(jobs: readonly Job[], dependencies: WorkerDependencies) {
    this.#jobs = jobs
    this.#dependencies = {
      ...dependencies,
      suspects: new KeyedMutex(),
      onDiskFull: () => this.#pauseOnce(),
    }
  }

  async start(): Promise<void> {
    const components: readonly Component[] = Object.values(COMPONENTS)
    const consumers: JobConsumer[] = []
    for (const component of components) {
      const own = this.#jobs.filter((job) => job.component.name === component.name)
      if (own.length > 0) {
        consumers.push(await JobConsumer.start(component, own, this.#dependencies))
      }
    }
    this.#consumers = consumers
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#pause
    await this.#stopConsumers()
  }

  #pauseOnce(): void {
    this.#pause ??= this.#pauseWhileFull().finally(() => (this.#pause = undefined))
  }

  async #pauseWhileFull(): Promise<void> {
    const { logger, disk } = this.#dependencies
    logger.error({}, 'the disk of WORKER_PATH is full: commands are left to other workers')
    await this.#stopConsumers()
    while (!this.#stopping.signal.aborted && (await disk.isFull())) {
      await sleep(LOOK_AGAIN_MS, this.#stopping.signal)
    }
    if (!this.#stopping.signal.aborted) {
      await this.start()
      logger.info({}, 'the disk of WORKER_PATH has space again: commands are consumed')
    }
  }

  async #stopConsumers(): Promise<void> {
    const consumers = this.#consumers
    this.#consumers = []
    await Promise.all(consumers.map((consumer) => consumer.stop()))
  }
}
