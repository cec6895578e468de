import type { Actor } from './actor.js'
import { BadRequest, PermissionDenied } from './failures.js'
import { issue } from './issues.js'

const MASTER_REALM = 'master'

export function isMasterMember(actor: Actor): boolean {
  return actor.realmName === MASTER_REALM
}

/** Whether an actor may write what belongs to a realm. What belongs to none is written by the master realm only. */
export function isRealmWritable(actor: Actor, realmId: string | null): boolean {
  return isMasterMember(actor) || (realmId !== null && actor.realmId === realmId)
}

/** Throws where the actor's realm may not write what belongs to this one. */
export function requireRealm(actor: Actor, realmId: string | null): void {
  if (!isRealmWritable(actor, realmId)) {
    throw new PermissionDenied('The record belongs to another realm')
  }
}

/** The realm of a new record: the one that was sent, else the actor's. Throws where the actor may not write in it. */
export function realmFor(actor: Actor, sent: string | null | undefined): string | null {
  const realmId = sent ?? actor.realmId
  requireRealm(actor, realmId)
  return realmId
}

/** As `realmFor`, for what always belongs to a realm. */
export function owningRealmFor(actor: Actor, sent?: string | null): string {
  const realmId = realmFor(actor, sent)
  if (realmId === null) {
    throw BadRequest.attribute(issue('required', ['realmId'], 'Name a realm: yours is not known'))
  }
  return realmId
}
