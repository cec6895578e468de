import { AccessChangeListener } from './access_change_listener.js'

const listeners = new Set<AccessChangeListener>()

/**
 * Tells which users and clients may do something else than before. Where something may have been missed, those are all.
 */
export async function subscribeToAccessChanges(
  listener: (whose: string) => void
): Promise<() => Promise<void>> {
  const subscription = new AccessChangeListener(listener)
  listeners.add(subscription)
  await subscription.start().catch(() => {})
  return async () => {
    listeners.delete(subscription)
    await subscription.stop()
  }
}

/**
 * To be waited for after a change of what a user or client may do, before saying that it is done: every process knows of
 * it then.
 */
export async function accessChangesDelivered(): Promise<void> {
  const [active] = [...listeners].filter(({ isListening }) => isListening)
  await active?.changesDelivered()
}
