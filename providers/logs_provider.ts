import type { ApplicationService } from '@adonisjs/core/types'

import { surfacesOf } from '#configuration/processes'
import type { RunningJob } from '#jobs/running_job'
import { env } from '#start/env'
import type { LogStore } from '#telemetry/logs/log_store'

declare module '@adonisjs/core/types' {
  interface ContainerBindings {
    logStore: LogStore
    /** The store of telemetry's own lines: always in memory, since they may be about the other store. */
    ownLogStore: LogStore
  }
}

const REMOVAL_TOPIC = 'logs-removed'

/**
 * Binds the log store and its services, if this process works for telemetry.
 */
export default class LogsProvider {
  #store: Promise<LogStore> | undefined
  #ingest: RunningJob | undefined

  constructor(protected app: ApplicationService) {}

  async boot() {
    if (!surfacesOf(env).includes('telemetry')) {
      return
    }
    const { LogService } = await import('#telemetry/logs/log_service')
    const { container } = this.app
    container.singleton('logStore', () => (this.#store = this.#open()))
    container.singleton('ownLogStore', async (resolver) => {
      const { isInMemory, memoryStore } = await import('#telemetry/logs/open_log_store')
      return isInMemory(env) ? resolver.make('logStore') : memoryStore(env)
    })
    container.singleton(
      LogService,
      async (resolver) => new LogService(await resolver.make('logStore'))
    )
  }

  /**
   * Opens the store at the start, so that errors show early. A memory store is filled from the bus by the process that
   * serves it, even without the job.
   */
  async ready() {
    if (this.app.getEnvironment() !== 'web' || !env.SURFACES.includes('telemetry')) {
      return
    }
    await this.app.container.make('logStore')
    if (!env.JOBS.includes('bus')) {
      const { isInMemory } = await import('#telemetry/logs/open_log_store')
      const { startLogIngest } = await import('#telemetry/logs/background')
      this.#ingest = isInMemory(env)
        ? await startLogIngest(await this.app.container.make('logger'))
        : undefined
    }
  }

  async shutdown() {
    await this.#ingest?.stop()
    const store = await this.#store
    await store?.close()
  }

  async #open(): Promise<LogStore> {
    const { openLogStore } = await import('#telemetry/logs/open_log_store')
    const logger = await this.app.container.make('logger')
    const signals = await this.app.container.make('signals')
    return openLogStore(env, {
      report: (error, what) => logger.warn({ err: error }, what),
      removals: {
        notify: () => signals.notify(REMOVAL_TOPIC),
        onNotification: (listener) => void signals.onNotification(REMOVAL_TOPIC, listener),
      },
    })
  }
}
