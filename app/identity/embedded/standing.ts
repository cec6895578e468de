import { setTimeout as delay } from 'node:timers/promises'

import { identityPool } from './database.js'
import { EVERYBODY } from '#auth/provider'
import { clock } from '#kernel/clock'
import { NotificationListener } from './notifications.js'

/** Written by triggers of the tables that say who may do what. */
const CHANNEL = 'identity_standing'
const ECHO = 'echo '
const ECHO_LIMIT_MS = 250

const hearing = new Set<NotificationListener>()
const echoes = new Map<string, () => void>()

/**
 * Hears of whoever may do something else than before. Where something may have been missed, that is everybody.
 */
export async function hearOfStanding(
  listener: (whose: string) => void
): Promise<() => Promise<void>> {
  const heard = new NotificationListener({
    channel: CHANNEL,
    hear: (payload) => (payload.startsWith(ECHO) ? echoes.get(payload)?.() : listener(payload)),
    onGap: () => listener(EVERYBODY),
  })
  hearing.add(heard)
  await heard.start().catch(() => {})
  return async () => {
    hearing.delete(heard)
    await heard.stop()
  }
}

/**
 * To be waited for by whoever has just changed what somebody may do, before saying that it is done: this process has heard
 * of it then, and so have the others, who are told at the same time and in the same order.
 */
export async function standingIsHeard(): Promise<void> {
  let deaf = [...hearing].filter(({ isHearing }) => isHearing).length
  if (deaf === 0) {
    return
  }
  const echo = ECHO + clock.uuid()
  const { promise, resolve } = Promise.withResolvers<void>()
  echoes.set(echo, () => --deaf === 0 && resolve())
  try {
    const told = identityPool().query('select pg_notify($1, $2)', [CHANNEL, echo])
    await Promise.race([
      Promise.all([told, promise]),
      delay(ECHO_LIMIT_MS, undefined, { ref: false }),
    ])
  } catch {
    // It is changed all the same; a process that cannot be told now asks anew when it can.
  } finally {
    echoes.delete(echo)
  }
}
