import type { Logger } from '@adonisjs/core/logger'

import type { RunningJob } from '#jobs/running_job'

import { runDueTasks, type TaskWorker } from './task_worker.js'
import type { TaskQueue } from './task_queue.js'

/** The polling interval, since notifications may be lost. */
const POLL_MS = 5_000

/** The topic that announces new tasks, so that they run at once. */
export const topicOf = ({ name }: TaskQueue): string => `tasks:${name}`

interface NotificationSource {
  onNotification(topic: string, listener: () => void): Promise<() => Promise<void>>
}

interface TaskRunnerOptions<Data> {
  readonly worker: TaskWorker<Data>
  readonly signals: NotificationSource
  readonly logger: Pick<Logger, 'warn'>
}

/** Runs the tasks of a queue as soon as they are enqueued. Any number of processes may run it. */
export class TaskRunner<Data> implements RunningJob {
  readonly #options: TaskRunnerOptions<Data>
  readonly #timer: NodeJS.Timeout
  readonly #stopping = new AbortController()
  #unsubscribe: (() => Promise<void>) | undefined
  #round: Promise<void> | undefined
  #isNotified = false

  static async start<Data>(options: TaskRunnerOptions<Data>): Promise<TaskRunner<Data>> {
    const runner = new TaskRunner(options)
    const topic = topicOf(options.worker.tasks.queue)
    runner.#unsubscribe = await options.signals.onNotification(topic, () => runner.notify())
    runner.notify()
    return runner
  }

  private constructor(options: TaskRunnerOptions<Data>) {
    this.#options = options
    this.#timer = setInterval(() => this.notify(), POLL_MS)
  }

  /** Announces that a task may be due. */
  notify(): void {
    this.#isNotified = true
    this.#round ??= this.#work().finally(() => {
      this.#round = undefined
    })
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    clearInterval(this.#timer)
    await this.#unsubscribe?.()
    await this.#round
  }

  async #work(): Promise<void> {
    const { worker, logger } = this.#options
    try {
      while (this.#isNotified && !this.#stopping.signal.aborted) {
        this.#isNotified = false
        await runDueTasks(worker, this.#stopping.signal)
      }
    } catch (error) {
      const { name: queue } = worker.tasks.queue
      logger.warn({ err: error, queue }, 'tasks could not be claimed')
    }
  }
}
