import type { Logger } from '@adonisjs/core/logger'
import app from '@adonisjs/core/services/app'

import { analysisClientSweep } from '#core/analyses/client_sweep'
import { coreIntentSweep, nodeClientSweep } from '#core/clients/client_sweeps'
import { clientWorker } from '#core/clients/client_worker'
import { coreReactions, removalSweeps } from './removals.js'
import { clientTasks, identityProvider } from '#core/clients/identity'
import { NodePresence, presenceSweep } from '#core/nodes/presence'
import { environmentRegistrySweep, formerClientSweep, registrySweep } from '#core/registries/sweeps'
import { reactTo } from '#auth/reactions'
import type { RunningJob } from '#jobs/running_job'
import type { Sweep } from '#jobs/sweep'
import { TaskRunner } from '#jobs/tasks/task_runner'
import { signals } from '#signals/current'

/**
 * What core looks after by itself: clients, people and realms that are gone, nodes that fell silent.
 */
export async function coreSweeps(logger: Logger): Promise<readonly Sweep[]> {
  const provider = await identityProvider()
  return [
    coreIntentSweep(provider),
    nodeClientSweep(provider, logger),
    analysisClientSweep(provider, logger),
    ...removalSweeps(provider),
    presenceSweep(await app.container.make(NodePresence)),
    environmentRegistrySweep,
    registrySweep,
    formerClientSweep,
  ]
}

/**
 * Follows what happens at the identity provider, and does there what core has written down.
 */
export async function followIdentities(logger: Logger): Promise<RunningJob> {
  const provider = await identityProvider()
  const worker = clientWorker({ tasks: clientTasks(), provider, logger })
  const runner = await TaskRunner.start({ worker, signals, logger })
  const stopReacting = await reactTo(provider, coreReactions, logger)
  return {
    async stop() {
      await Promise.all([runner.stop(), stopReacting()])
    },
  }
}
