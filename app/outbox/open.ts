import { useEventSink } from '#records/event_sink'
import { useSecuritySink } from '#audit/security_events'
import type { Signals } from '#signals/signals'
import { WAKE_TOPIC, wakeRelayBy } from './waking.js'
import { changeOutbox, securityOutbox } from './write.js'

/**
 * Has everything this process changes and notes kept in the outbox of its databases, until the returned function is called.
 */
export function openOutbox(signals: Pick<Signals, 'wake'>): () => void {
  const undo = [
    useEventSink(changeOutbox),
    useSecuritySink(securityOutbox),
    wakeRelayBy(() => signals.wake(WAKE_TOPIC)),
  ]
  return () => undo.forEach((step) => step())
}
