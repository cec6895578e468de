import { inject } from '@adonisjs/core'
import { Logger } from '@adonisjs/core/logger'

import { createRegistryDriver } from './create_registry_driver.js'
import { runDueTasks, runTask, type TaskWorker } from '#jobs/tasks/task_worker'
import type { Task } from '#jobs/tasks/task_queue'
import { RegistryFailure } from './registry_driver.js'
import {
  WORKER_ACCOUNT_PURPOSES,
  type RegistryReference,
  type WorkerAccountPurpose,
  WorkerAccounts,
} from './worker_accounts.js'

/** Creates the accounts of the worker in each registry that manages accounts, limited to the projects of the platform. */
@inject()
export class WorkerAccountReconciler {
  readonly #workers: WorkerAccounts
  readonly #logger: Logger
  readonly #worker: TaskWorker<RegistryReference>

  constructor(workers: WorkerAccounts, logger: Logger) {
    this.#workers = workers
    this.#logger = logger
    this.#worker = {
      tasks: workers.tasks,
      concurrency: 1,
      perform: (task) => this.#perform(task),
      onFailure: (error, task) => this.#recordFailure(error, task),
    }
  }

  /** Reconciles the accounts in one registry. It never throws: a failed task stays due. */
  reconcile(registryId: string): Promise<void> {
    return runTask(this.#worker, registryId)
  }

  reconcileDue(signal: AbortSignal): Promise<void> {
    return runDueTasks(this.#worker, signal)
  }

  async #perform({ data }: Task<RegistryReference>): Promise<void> {
    const state = await this.#workers.find(data.registryId)
    if (!state) {
      return
    }
    const { access, isRemoving, desired } = state
    const driver = createRegistryDriver(access)
    for (const purpose of WORKER_ACCOUNT_PURPOSES) {
      const worker = {
        ...desired[purpose],
        name: nameFor(purpose, data),
        owner: data.registryId,
      }
      if (isRemoving) {
        await driver.removeWorkerAccount(worker)
      }
      const account = isRemoving ? null : await driver.ensureWorkerAccount(worker)
      await this.#workers.settle(data, access.host, purpose, account)
    }
  }

  async #recordFailure(error: unknown, task: Task<RegistryReference>): Promise<void> {
    const problem = error instanceof RegistryFailure ? error.message : 'See the log'
    await this.#workers.recordProblem(task, problem)
    this.#logger.warn(
      { err: error, ...task.data },
      'the worker account of a registry could not be created; it is retried later'
    )
  }
}

const NAME_PREFIXES: Readonly<Record<WorkerAccountPurpose, string>> = {
  carrying: 'worker',
  master: 'master',
}

/** Unique among all installations that share a Harbor. */
const nameFor = (purpose: WorkerAccountPurpose, { registryId }: RegistryReference) =>
  `${NAME_PREFIXES[purpose]}-${registryId}`
