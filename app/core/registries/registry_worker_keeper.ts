import type { Logger } from '@adonisjs/core/logger'

import { performDue, performOne, type TaskWorker } from '#jobs/tasks/perform'
import type { Task } from '#jobs/tasks/task_queue'
import { RegistryFailure, type RegistryAccess, type RegistryDriver } from './driver.js'
import {
  PURPOSES,
  type OfRegistry,
  type Purpose,
  type RegistryWorkers,
} from './registry_workers.js'

interface RegistryWorkerKeeperOptions {
  readonly workers: RegistryWorkers
  readonly driverOf: (access: RegistryAccess) => RegistryDriver
  readonly logger: Pick<Logger, 'warn'>
}

/** Gives who carries images accounts in each registry that has accounts to give, for what is there and nothing else. */
export class RegistryWorkerKeeper {
  readonly #options: RegistryWorkerKeeperOptions
  readonly #worker: TaskWorker<OfRegistry>

  constructor(options: RegistryWorkerKeeperOptions) {
    this.#options = options
    this.#worker = {
      tasks: options.workers.tasks,
      atOnce: 1,
      perform: (task) => this.#perform(task),
      failed: (error, task) => this.#failed(error, task),
    }
  }

  /** Does what is due in a registry. It does not fail: what cannot be done now stays due. */
  keep(registryId: string): Promise<void> {
    return performOne(this.#worker, registryId)
  }

  keepDue(signal: AbortSignal): Promise<void> {
    return performDue(this.#worker, signal)
  }

  async #perform({ data }: Task<OfRegistry>): Promise<void> {
    const { workers, driverOf } = this.#options
    const subject = await workers.find(data.registryId)
    if (!subject) {
      return
    }
    const { access, isLeaving, wanted } = subject
    const driver = driverOf(access)
    for (const purpose of PURPOSES) {
      const worker = {
        ...wanted[purpose],
        name: nameFor(purpose, data),
        owner: data.registryId,
      }
      if (isLeaving) {
        await driver.dropWorker(worker)
      }
      const account = isLeaving ? null : await driver.keepWorker(worker)
      await workers.settle(data, access.host, purpose, account)
    }
  }

  async #failed(error: unknown, task: Task<OfRegistry>): Promise<void> {
    const problem = error instanceof RegistryFailure ? error.message : 'See the log'
    await this.#options.workers.noteProblem(task, problem)
    this.#options.logger.warn(
      { err: error, ...task.data },
      'a registry did not give the worker an account; tried again later'
    )
  }
}

const BEGINNINGS: Readonly<Record<Purpose, string>> = { carrying: 'worker', master: 'master' }

/** One name for each registry of each platform that uses the same Harbor. */
const nameFor = (purpose: Purpose, { registryId }: OfRegistry) =>
  `${BEGINNINGS[purpose]}-${registryId}`
