import type { DatabasePool } from '#database/database_pool'
import { oncePer } from '#kernel/once_per'
import { AccessChangeListener } from './access_change_listener.js'
import { identityPool } from './database.js'

const listenersOf = oncePer((_pool: DatabasePool) => new Set<AccessChangeListener>())

/** Notifies a listener of ids whose access changed. If notifications may have been missed, of all. */
export async function subscribeToAccessChanges(
  listener: (id: string) => void
): Promise<() => Promise<void>> {
  const listeners = listenersOf(identityPool())
  const subscription = new AccessChangeListener(listener)
  listeners.add(subscription)
  await subscription.start().catch(() => {})
  return async () => {
    listeners.delete(subscription)
    await subscription.stop()
  }
}

/** Await it after a change of access, before responding: then every process has received the change. */
export async function accessChangesDelivered(): Promise<void> {
  const [active] = [...listenersOf(identityPool())].filter(({ isListening }) => isListening)
  await active?.changesDelivered()
}
