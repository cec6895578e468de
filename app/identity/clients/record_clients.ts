import type { Actor } from '#kernel/actor'
import { PermissionDenied } from '#kernel/failures'
import { isSelf } from '#identity/embedded/strength'
import type { Values } from '#records/kind'
import { isUuid } from '#kernel/is_uuid'
import { isMasterMember } from '#kernel/realm'

/** The names of clients that belong to nodes and analyses: they are the ids of those. */
export const NAME_OF_RECORD = '^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$'

/**
 * Whether somebody gets what other records log in with from core only, which knows who takes part in what: every client but those
 * of master that belong to no record themselves.
 */
export const asksCore = (actor: Actor): boolean =>
  actor.kind !== 'user' && (!isMasterMember(actor) || isUuid(actor.name ?? ''))

/** Throws where a client would change that of a record, and could become it by that. */
export function requireOtherThanRecords(actor: Actor, { id, name }: Values): void {
  if (asksCore(actor) && isUuid(name as string) && !isSelf(actor, 'client', id as string)) {
    throw new PermissionDenied(
      'The client belongs to a node or an analysis: ask for its credentials there'
    )
  }
}
