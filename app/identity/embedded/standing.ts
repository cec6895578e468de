import { StandingListener } from './standing_listener.js'

const subscribed = new Set<StandingListener>()

/**
 * Tells which users and clients may do something else than before. Where something may have been missed, those are all.
 */
export async function followStanding(
  listener: (whose: string) => void
): Promise<() => Promise<void>> {
  const follower = new StandingListener(listener)
  subscribed.add(follower)
  await follower.start().catch(() => {})
  return async () => {
    subscribed.delete(follower)
    await follower.stop()
  }
}

/**
 * To be waited for after a change of what a user or client may do, before saying that it is done: every process knows of
 * it then.
 */
export async function standingIsReceived(): Promise<void> {
  const [caller] = [...subscribed].filter(({ isListening }) => isListening)
  await caller?.allHaveHeard()
}
