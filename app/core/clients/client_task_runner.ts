import type { Logger } from '@adonisjs/core/logger'

import { clientsOf, type ClientKeeper } from '#core/clients/client_directory'
import { ensurePermissions } from '#auth/client_permissions'
import type { RunningJob } from '#jobs/running_job'
import type { Signals } from '#signals/signals'

import { CLIENT_TASKS_TOPIC, type ClientTask, type ClientTasks } from './client_tasks.js'

/** How often it looks by itself, for wakes may be lost. */
const POLL_MS = 5_000

interface RunnerOptions {
  readonly tasks: ClientTasks
  readonly provider: ClientKeeper
  readonly signals: Pick<Signals, 'onWake'>
  readonly logger: Pick<Logger, 'warn'>
}

/**
 * Does what is to be done at the identity provider, as soon as it is written down. Any number of processes may do so.
 */
export class ClientTaskRunner implements RunningJob {
  readonly #options: RunnerOptions
  readonly #timer: NodeJS.Timeout
  #stopListening: (() => Promise<void>) | undefined
  #round: Promise<void> | undefined
  #isWanted = false
  #isStopping = false

  static async start(options: RunnerOptions): Promise<ClientTaskRunner> {
    const runner = new ClientTaskRunner(options)
    runner.#stopListening = await options.signals.onWake(CLIENT_TASKS_TOPIC, () => runner.wake())
    runner.wake()
    return runner
  }

  private constructor(options: RunnerOptions) {
    this.#options = options
    this.#timer = setInterval(() => this.wake(), POLL_MS)
  }

  /** There may be something to do. */
  wake(): void {
    this.#isWanted = true
    this.#round ??= this.#work().finally(() => {
      this.#round = undefined
    })
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    clearInterval(this.#timer)
    await this.#stopListening?.()
    await this.#round
  }

  async #work(): Promise<void> {
    const { logger, ...options } = this.#options
    try {
      while (this.#isWanted && !this.#isStopping) {
        this.#isWanted = false
        const { taken } = await doClientTasks({ ...options, logger })
        this.#isWanted ||= taken > 0
      }
    } catch (error) {
      logger.warn({ err: error }, 'what is to be done for clients cannot be read now')
    }
  }
}

/** One round: answers how many tasks were taken. Those that fail are left for a later attempt. */
export async function doClientTasks({
  tasks,
  provider,
  logger,
}: Omit<RunnerOptions, 'signals'>): Promise<{ taken: number }> {
  const batch = await tasks.take()
  const attempts = batch.map(async (task) => {
    try {
      await perform(task, provider, logger)
      await tasks.finish(task)
    } catch (error) {
      const { clientId, attempts: count } = task
      logger.warn({ err: error, client: clientId, attempts: count }, 'a client is seen to later')
    }
  })
  await Promise.all(attempts)
  return { taken: batch.length }
}

async function perform(
  { clientId, task, permissions, nothingElse }: ClientTask,
  provider: ClientKeeper,
  logger: Pick<Logger, 'warn'>
): Promise<void> {
  const clients = await clientsOf(provider)
  if (task === 'remove') {
    return clients.remove(clientId)
  }
  if (!(await clients.read(clientId))) {
    return
  }
  const unknown = await ensurePermissions(clients, clientId, { names: permissions, nothingElse })
  if (unknown.length > 0) {
    logger.warn({ permissions: unknown }, 'the identity provider does not know these permissions')
  }
}
