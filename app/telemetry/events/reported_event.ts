import type { Actor } from '#kernel/actor'
import { clock } from '#kernel/clock'
import { PermissionDenied } from '#kernel/failures'
import { isUuid } from '#kernel/is_uuid'
import { issue } from '#kernel/issues'
import { isMasterMember, isRealmWritable, realmFor } from '#kernel/realm'
import type { EventBody } from './event.js'
import type { RecordRealms } from './record_realms.js'
import { reportedBy } from './reporter.js'
import { truncated, storedEvent, type NewEvent } from './stored_event.js'

/**
 * The event that a caller reports. Outside of the master realm, actors may report only what they did themselves, to
 * records of their realm. It expires as the caller says; only events of the bus get a default expiry.
 */
export async function reportedEvent(
  actor: Actor,
  body: EventBody,
  recordRealms: RecordRealms
): Promise<NewEvent> {
  const realmId = realmFor(actor, body.realmId)
  const id = clock.uuid()
  const createdAt = new Date(clock.now()).toISOString()
  const event = { ...storedEvent(body, reportedBy(actor)), id, realmId, createdAt }
  if (isMasterMember(actor)) {
    return event
  }
  requireOwnActor(actor, body)
  await requireOwnRecord(actor, body, recordRealms)
  return { ...event, ...actorOf(actor) }
}

function actorOf({ kind, id, name }: Actor) {
  return { actorType: kind, actorId: isUuid(id) ? id : null, actorName: truncated(name, 64) }
}

/** Throws if the body names another actor. */
function requireOwnActor(actor: Actor, body: EventBody): void {
  const own = { actorType: actor.kind, actorId: actor.id.toLowerCase(), actorName: actor.name }
  const sent = { ...body, actorId: body.actorId?.toLowerCase() }
  const mismatched = (['actorType', 'actorId', 'actorName'] as const).filter(
    (name) => (sent[name] ?? null) !== null && sent[name] !== own[name]
  )
  if (mismatched.length > 0) {
    const message = 'Only the master realm may report what others did: omit the actor'
    const issues = mismatched.map((name) => issue('value_invalid', [name], `${name} is not yours`))
    throw new PermissionDenied(message, { issues })
  }
}

/** Throws if the record belongs to other realms only. An unknown record belongs to none. */
async function requireOwnRecord(
  actor: Actor,
  { refType, refId }: EventBody,
  recordRealms: RecordRealms
): Promise<void> {
  const realms = refId ? await recordRealms.find(normalizedKind(refType), refId) : undefined
  if (realms && !realms.some((realmId) => isRealmWritable(actor, realmId))) {
    throw new PermissionDenied('Only the master realm may report on records of other realms')
  }
}

/** Normalizes the name of a kind as filters of event lists compare it: without case and accents. */
export function normalizedKind(refType: string): string {
  return refType.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
}
