import type { Actor } from '#kernel/actor'
import { requireRealm } from '#kernel/realm'

/** The realm of a new record that may also be of none: null where that was said, the actor's where nothing was. */
export function requestedRealm(
  actor: Actor,
  { realmId }: { readonly realmId?: string | null }
): string | null {
  const realm = realmId === undefined ? actor.realmId : realmId
  requireRealm(actor, realm)
  return realm
}
