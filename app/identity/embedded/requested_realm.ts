import type { Actor } from '#kernel/actor'
import { requireRealm } from '#kernel/realm'

/** The realm of a new record that may have none: null if requested, else that of the actor by default. */
export function requestedRealm(
  actor: Actor,
  { realmId }: { readonly realmId?: string | null }
): string | null {
  const realm = realmId === undefined ? actor.realmId : realmId
  requireRealm(actor, realm)
  return realm
}
