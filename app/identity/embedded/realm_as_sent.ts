import type { Actor } from '#kernel/actor'
import type { Values } from '#records/kind'
import { requireRealm } from '#kernel/realm'

/** The realm of a new record that may also be of none: null where that was said, the actor's where nothing was. */
export function realmAsSent(actor: Actor, { realmId }: Values): string | null {
  const realm = realmId === undefined ? actor.realmId : (realmId as string | null)
  requireRealm(actor, realm)
  return realm
}
