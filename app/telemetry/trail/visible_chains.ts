import type { Actor } from '#kernel/actor'
import { isUuid } from '#kernel/is_uuid'
import { isMasterMember } from '#kernel/realm'
import { NO_REALM } from './statements.js'

/** The chains that an actor may read; undefined for all of them. */
export function visibleChains(actor: Actor): string[] | undefined {
  if (isMasterMember(actor)) {
    return undefined
  }
  const own = actor.realmId !== null && isUuid(actor.realmId) ? [actor.realmId] : []
  return [...own, NO_REALM]
}
