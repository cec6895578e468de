import type { Logger } from '@adonisjs/core/logger'
import app from '@adonisjs/core/services/app'

import { Signals } from '#signals/signals'
import { IdentityProvider } from '#auth/provider'
import type { RunningJob } from '#jobs/running_job'
import { TaskRunner } from '#jobs/tasks/task_runner'
import { logoutWorker } from './logout_worker.js'

/** Sends logout tokens to clients as soon as a session ends in any process. */
export async function startLogoutNotifications(logger: Logger): Promise<RunningJob> {
  const provider = await app.container.make(IdentityProvider)
  const signals = await app.container.make(Signals)
  const runner = await TaskRunner.start({ worker: logoutWorker({ logger }), signals, logger })
  const stopListening = await provider.onAccessChange?.(() => runner.notify())
  return {
    async stop() {
      await stopListening?.()
      await runner.stop()
    },
  }
}
