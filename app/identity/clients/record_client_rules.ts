import type { Actor } from '#kernel/actor'
import { PermissionDenied } from '#kernel/failures'
import { isSelf } from '#identity/embedded/strength'
import { isUuid } from '#kernel/is_uuid'
import { isMasterMember } from '#kernel/realm'

/** Clients of nodes and analyses are named after the id of their record. */
export const RECORD_CLIENT_NAME = '^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$'

/**
 * Whether an actor only gets credentials of record clients from core, which checks participation. True for all clients
 * except those of the master realm that belong to no record.
 */
export const readsCredentialsFromCore = (actor: Actor): boolean =>
  actor.kind !== 'user' && (!isMasterMember(actor) || isUuid(actor.name ?? ''))

/** Throws if a client would change the client of a record, and could then log in as it. */
export function requireNotRecordClient(
  actor: Actor,
  { id, name }: { readonly id: string; readonly name: string }
): void {
  if (readsCredentialsFromCore(actor) && isUuid(name) && !isSelf(actor, 'client', id)) {
    throw new PermissionDenied(
      'The client belongs to a node or an analysis: use the routes of that record for its credentials'
    )
  }
}
