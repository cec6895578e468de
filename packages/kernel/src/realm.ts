import type { Actor } from './actor.js'
import { BadRequest, PermissionDenied } from './failures.js'
import { issue } from './issues.js'

const MASTER_REALM = 'master'

export function isMasterMember(actor: Actor): boolean {
  return actor.realmName === MASTER_REALM
}

/** Whether an actor may write a record of a realm. Only the master realm writes records without a realm. */
export function isRealmWritable(actor: Actor, realmId: string | null): boolean {
  return isMasterMember(actor) || (realmId !== null && actor.realmId === realmId)
}

/** Throws if the actor may not write records of the realm. */
export function requireRealm(actor: Actor, realmId: string | null): void {
  if (!isRealmWritable(actor, realmId)) {
    throw new PermissionDenied('The record belongs to another realm')
  }
}

/** The realm of a new record: the one that was sent, or the actor's. Throws if the actor may not write it. */
export function realmFor(actor: Actor, sent: string | null | undefined): string | null {
  const realmId = sent ?? actor.realmId
  requireRealm(actor, realmId)
  return realmId
}

/** Like `realmFor`, for records that always have a realm. */
export function owningRealmFor(actor: Actor, sent?: string | null): string {
  const realmId = realmFor(actor, sent)
  if (realmId === null) {
    throw BadRequest.attribute(
      issue('required', ['realmId'], 'Send the id of a realm: the caller has none')
    )
  }
  return realmId
}
