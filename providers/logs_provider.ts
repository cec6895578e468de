import { Logger } from '@adonisjs/core/logger'
import type { ApplicationService } from '@adonisjs/core/types'

import { surfacesOf } from '#configuration/processes'
import type { RunningJob } from '#jobs/running_job'
import { Signals } from '#signals/signals'
import { env } from '#start/env'
import { LogStore, OwnLogStore } from '#telemetry/logs/log_store'
import { telemetrySettings } from '#telemetry/telemetry_settings'

/** Whether lines are stored in the memory of the process that serves them. */
const isInMemory = () => telemetrySettings().logStore.server === undefined

/**
 * Binds the log store, if this process works for telemetry.
 */
export default class LogsProvider {
  #store: Promise<LogStore> | undefined
  #ingest: RunningJob | undefined

  constructor(protected app: ApplicationService) {}

  async boot() {
    if (!surfacesOf(env).includes('telemetry')) {
      return
    }
    const { memoryStore, openLogStore } = await import('#telemetry/logs/open_log_store')
    const { container } = this.app
    container.singleton(LogStore, async (resolver) => {
      this.#store = openLogStore(await resolver.make(Signals), await resolver.make(Logger))
      return this.#store
    })
    container.singleton(OwnLogStore, (resolver) =>
      isInMemory() ? resolver.make(LogStore) : memoryStore()
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
    await this.app.container.make(LogStore)
    if (!env.JOBS.includes('bus') && isInMemory()) {
      const { startLogIngest } = await import('#telemetry/logs/background')
      this.#ingest = await startLogIngest(await this.app.container.make(Logger))
    }
  }

  async shutdown() {
    await this.#ingest?.stop()
    const store = await this.#store
    await store?.close()
  }
}
