import type { Logger } from '@adonisjs/core/logger'
import app from '@adonisjs/core/services/app'

import { Signals } from '#signals/signals'
import { BucketLocks } from '#core/code_locks/bucket_locks'
import { analysisClientSweep } from '#core/analyses/client_sweep'
import { coreIntentSweep, nodeClientSweep } from '#core/clients/client_sweeps'
import { clientWorker } from '#core/clients/client_worker'
import { codeRemovalWorker } from '#core/code_locks/code_removals'
import { lockReleaseWorker } from '#core/code_locks/lock_releases'
import { StorageRemovals } from '#core/code_locks/storage_removals'
import { SecretReplacements, secretReplacementWorker } from '#core/clients/secret_replacements'
import { coreReactions, removalSweeps } from './removals.js'
import { ClientTasks } from '#core/clients/client_tasks'
import { corePool } from './database.js'
import { identityProvider } from '#core/clients/identity_provider'
import { analysisStorageSweep } from '#core/analysis_storage/storage_sweep'
import { distributionProofSweep } from '#core/analysis_life/distribution_proof'
import { silentWorkerSweep } from '#core/analysis_life/watchdog'
import { NodePresence, presenceSweep } from '#core/nodes/node_presence'
import { EnvironmentRegistry } from '#core/registries/environment_registry'
import { RegistryReconciler } from '#core/registries/registry_reconciler'
import { RegistryAccounts } from '#core/registries/registry_accounts'
import {
  environmentRegistrySweep,
  legacyClientSweep,
  registryAccountSweep,
  registrySweep,
} from '#core/registries/registry_sweeps'
import { reactToChanges } from '#auth/reactions'
import type { RunningJob } from '#jobs/running_job'
import type { LongSweep, Sweep } from '#jobs/sweep'
import { EventSink } from '#records/events'
import { TaskRunner } from '#jobs/tasks/task_runner'

/** The sweeps of core: for deleted clients, users and realms, silent nodes, registries, and files of analyses. */
export async function coreSweeps(logger: Logger): Promise<readonly (Sweep | LongSweep)[]> {
  const provider = await identityProvider()
  const inventory = await app.container.make('storageInventory')
  return [
    coreIntentSweep(provider),
    nodeClientSweep(provider, logger),
    analysisClientSweep(provider, logger),
    ...removalSweeps(provider),
    silentWorkerSweep(),
    distributionProofSweep(),
    ...(inventory ? [analysisStorageSweep({ inventory, logger })] : []),
    presenceSweep(await app.container.make(NodePresence)),
    environmentRegistrySweep(await app.container.make(EnvironmentRegistry)),
    registrySweep(await app.container.make(RegistryReconciler)),
    registryAccountSweep(await app.container.make(RegistryAccounts)),
    legacyClientSweep(corePool()),
  ]
}

/** Starts the workers that perform tasks at the identity provider and at storage, and reacts to deleted users and realms. */
export async function startCoreWorkers(logger: Logger): Promise<RunningJob> {
  const provider = await identityProvider()
  const tasks = await app.container.make(ClientTasks)
  const signals = await app.container.make(Signals)
  const clientTaskWorker = clientWorker({ tasks, provider, logger })
  const clientRunner = await TaskRunner.start({ worker: clientTaskWorker, signals, logger })
  const locks = await app.container.make(BucketLocks)
  const releaseWorker = lockReleaseWorker({ pool: corePool(), locks, logger })
  const releaseRunner = await TaskRunner.start({ worker: releaseWorker, signals, logger })
  const storage = await app.container.make(StorageRemovals)
  const removalWorker = codeRemovalWorker({ pool: corePool(), storage, logger })
  const removalRunner = await TaskRunner.start({ worker: removalWorker, signals, logger })
  const replacements = await app.container.make(SecretReplacements)
  const records = { pool: corePool(), sink: await app.container.make(EventSink) }
  const replacementRunner = await TaskRunner.start({
    worker: secretReplacementWorker({ tasks: replacements, provider, records, logger }),
    signals,
    logger,
  })
  const stopReacting = await reactToChanges(provider, coreReactions, logger)
  return {
    async stop() {
      await Promise.all([
        clientRunner.stop(),
        releaseRunner.stop(),
        removalRunner.stop(),
        replacementRunner.stop(),
        stopReacting(),
      ])
    },
  }
}
