import type { Sweep } from '#jobs/sweep'
import { clock } from '#kernel/clock'

import { clientsOf, type ClientKeeper } from './client_directory.js'
import type { ClientIntents, Intent } from './client_intents.js'

const LEFT_ALONE_MS = 10 * 60_000
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

/** Answers how many clients were removed. */
export async function reconcileIntents(
  { provider, intents, hasRecord }: IntentReconciliation,
  signal: AbortSignal
): Promise<number> {
  let removed = 0
  let batch = await intents.abandonOlderThan(clock.now() - LEFT_ALONE_MS)
  while (batch.length > 0) {
    for (const intent of batch) {
      if (signal.aborted) {
        return removed
      }
      removed += (await hasRecord(intent.recordId)) ? 0 : await removeClient(provider, intent)
      await intents.remove(intent.recordId)
    }
    batch = await intents.abandonOlderThan(clock.now() - LEFT_ALONE_MS)
  }
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
