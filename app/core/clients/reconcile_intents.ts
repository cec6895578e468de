import type { Sweep } from '#jobs/sweep'
import { runDueTasks, type TaskWorker } from '#jobs/tasks/task_worker'

import { requireClients, type ClientProvider } from './client_directory.js'
import type { ClientIntents, ClientIntent } from './client_intents.js'

const EVERY_MS = 5 * 60_000

interface IntentReconciliation {
  provider: ClientProvider
  intents: ClientIntents
  /** Whether a record with this id exists. */
  hasRecord: (id: string) => Promise<boolean>
}

/** Removes clients whose record was never written, for example after a crash. */
export function intentSweep(options: IntentReconciliation): Sweep {
  return {
    name: 'client-intents',
    schedule: { everyMs: EVERY_MS },
    run: (signal) => reconcileIntents(options, signal),
  }
}

/** Returns the number of removed clients. Stops at the first failure; the remaining tasks stay due. */
export async function reconcileIntents(
  { provider, intents, hasRecord }: IntentReconciliation,
  signal: AbortSignal
): Promise<number> {
  let removed = 0
  const failing = new AbortController()
  const worker: TaskWorker<ClientIntent> = {
    tasks: intents.tasks,
    concurrency: 1,
    async perform({ data }) {
      removed += (await hasRecord(data.recordId)) ? 0 : await removeClient(provider, data)
    },
    onFailure(error) {
      failing.abort(error)
      return 0
    },
  }
  await runDueTasks(worker, AbortSignal.any([signal, failing.signal]))
  failing.signal.throwIfAborted()
  return removed
}

async function removeClient(
  provider: ClientProvider,
  { recordId, realmId }: ClientIntent
): Promise<number> {
  const clients = await requireClients(provider)
  const client = await clients.findByName(recordId)
  if (client?.realmId !== realmId) {
    return 0
  }
  await clients.remove(client.id)
  return 1
}
