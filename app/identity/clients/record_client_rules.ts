import type { Actor } from '#kernel/actor'
import { PermissionDenied } from '#kernel/failures'
import { isSelf } from '#identity/embedded/strength'
import { isUuid } from '#kernel/is_uuid'
import { isMasterMember } from '#kernel/realm'

/** The names of clients that belong to nodes and analyses: they are the ids of those. */
export const RECORD_CLIENT_NAME = '^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$'

/**
 * Whether an actor gets what other records log in with from core only, which knows who takes part in what: every client but those
 * of master that belong to no record themselves.
 */
export const readsCredentialsFromCore = (actor: Actor): boolean =>
  actor.kind !== 'user' && (!isMasterMember(actor) || isUuid(actor.name ?? ''))

/** Throws where a client would change that of a record, and could become it by that. */
export function requireNotRecordClient(
  actor: Actor,
  { id, name }: { readonly id: string; readonly name: string }
): void {
  if (readsCredentialsFromCore(actor) && isUuid(name) && !isSelf(actor, 'client', id)) {
    throw new PermissionDenied(
      'The client belongs to a node or an analysis: ask for its credentials there'
    )
  }
}
