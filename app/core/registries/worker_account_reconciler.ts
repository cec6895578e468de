import type { Logger } from '@adonisjs/core/logger'

import { runDueTasks, runTask, type TaskWorker } from '#jobs/tasks/task_worker'
import type { Task } from '#jobs/tasks/task_queue'
import { RegistryFailure, type RegistryAccess, type RegistryDriver } from './registry_driver.js'
import {
  WORKER_ACCOUNT_PURPOSES,
  type RegistryReference,
  type WorkerAccountPurpose,
  type WorkerAccounts,
} from './worker_accounts.js'

interface WorkerAccountReconcilerOptions {
  readonly workers: WorkerAccounts
  readonly createDriver: (access: RegistryAccess) => RegistryDriver
  readonly logger: Pick<Logger, 'warn'>
}

/** Gives who carries images accounts in each registry that has accounts to give, for what is there and nothing else. */
export class WorkerAccountReconciler {
  readonly #options: WorkerAccountReconcilerOptions
  readonly #worker: TaskWorker<RegistryReference>

  constructor(options: WorkerAccountReconcilerOptions) {
    this.#options = options
    this.#worker = {
      tasks: options.workers.tasks,
      concurrency: 1,
      perform: (task) => this.#perform(task),
      onFailure: (error, task) => this.#recordFailure(error, task),
    }
  }

  /** Does what is due in a registry. It does not fail: what cannot be done now stays due. */
  reconcile(registryId: string): Promise<void> {
    return runTask(this.#worker, registryId)
  }

  reconcileDue(signal: AbortSignal): Promise<void> {
    return runDueTasks(this.#worker, signal)
  }

  async #perform({ data }: Task<RegistryReference>): Promise<void> {
    const { workers, createDriver: driverOf } = this.#options
    const state = await workers.find(data.registryId)
    if (!state) {
      return
    }
    const { access, isLeaving, wanted } = state
    const driver = driverOf(access)
    for (const purpose of WORKER_ACCOUNT_PURPOSES) {
      const worker = {
        ...wanted[purpose],
        name: nameFor(purpose, data),
        owner: data.registryId,
      }
      if (isLeaving) {
        await driver.removeWorkerAccount(worker)
      }
      const account = isLeaving ? null : await driver.ensureWorkerAccount(worker)
      await workers.settle(data, access.host, purpose, account)
    }
  }

  async #recordFailure(error: unknown, task: Task<RegistryReference>): Promise<void> {
    const problem = error instanceof RegistryFailure ? error.message : 'See the log'
    await this.#options.workers.noteProblem(task, problem)
    this.#options.logger.warn(
      { err: error, ...task.data },
      'a registry did not give the worker an account; tried again later'
    )
  }
}

const NAME_PREFIXES: Readonly<Record<WorkerAccountPurpose, string>> = {
  carrying: 'worker',
  master: 'master',
}

/** One name for each registry of each platform that uses the same Harbor. */
const nameFor = (purpose: WorkerAccountPurpose, { registryId }: RegistryReference) =>
  `${NAME_PREFIXES[purpose]}-${registryId}`
