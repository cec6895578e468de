import type { Origin } from '#kernel/origin'
import { auditedChange } from '#outbox/payloads/audit_event'
import { actorContextOf } from '#outbox/payloads/actor_context'
import { clock } from '#kernel/clock'
import { event, type EventRow } from './event.js'
import { REPORTED_BY_PLATFORM } from './reporter.js'
import { storedEvent, type NewEvent } from './stored_event.js'

/** The fields of a removed event that its removal retains. */
const RETAINED_FIELDS = [
  'scope',
  'name',
  'refType',
  'refId',
  'actorType',
  'actorId',
  'actorName',
] as const

/** The event that records a removal: which event, and by whom. */
export function removalEvent(removed: EventRow, origin: Origin): NewEvent {
  const diff = Object.fromEntries(
    RETAINED_FIELDS.map((name) => [name, { next: null, previous: removed[name] }])
  )
  const change = auditedChange({
    kind: event.name,
    change: 'deleted',
    id: removed.id,
    realmId: removed.realmId,
    realms: [],
    data: {},
    diff,
    isLasting: true,
    doer: actorContextOf(origin),
  })
  return {
    ...storedEvent(change, REPORTED_BY_PLATFORM),
    id: clock.uuid(),
    createdAt: new Date(clock.now()).toISOString(),
  }
}

/** Whether an event records a removal. */
export const isRemoval = ({ reportedBy }: EventRow) => reportedBy === REPORTED_BY_PLATFORM
