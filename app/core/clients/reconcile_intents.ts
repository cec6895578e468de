import type { Sweep } from '#jobs/sweep'
import { performDue, type TaskWorker } from '#jobs/tasks/perform'

import { clientsOf, type ClientKeeper } from './client_directory.js'
import type { ClientIntents, Intent } from './client_intents.js'

const EVERY_MS = 5 * 60_000

interface IntentReconciliation {
  provider: ClientKeeper
  intents: ClientIntents
  /** Whether there is a record with this id after all. */
  hasRecord: (id: string) => Promise<boolean>
}

/**
 * Removes the clients of records that were never written, as a crash between the two leaves them.
 */
export function intentSweep(options: IntentReconciliation): Sweep {
  return {
    name: 'client-intents',
    schedule: { everyMs: EVERY_MS },
    run: (signal) => reconcileIntents(options, signal),
  }
}

/** Answers how many clients were removed. The first failure ends it: what is left stays due. */
export async function reconcileIntents(
  { provider, intents, hasRecord }: IntentReconciliation,
  signal: AbortSignal
): Promise<number> {
  let removed = 0
  const failing = new AbortController()
  const worker: TaskWorker<Intent> = {
    tasks: intents.tasks,
    atOnce: 1,
    async perform({ data }) {
      removed += (await hasRecord(data.recordId)) ? 0 : await removeClient(provider, data)
    },
    failed(error) {
      failing.abort(error)
      return 0
    },
  }
  await performDue(worker, AbortSignal.any([signal, failing.signal]))
  failing.signal.throwIfAborted()
  return removed
}

async function removeClient(
  provider: ClientKeeper,
  { recordId, realmId }: Intent
): Promise<number> {
  const clients = await clientsOf(provider)
  const client = await clients.findByName(recordId)
  if (client?.realmId !== realmId) {
    return 0
  }
  await clients.remove(client.id)
  return 1
}
