import type pg from 'pg'

import type { Actor } from '#kernel/actor'
import { PermissionDenied } from '#kernel/failures'
import { isUuid } from '#kernel/is_uuid'

const SELECT_OWN = `select bool_or(id = $2) as "isOwn" from nodes where client_id = $1`

/** Throws if the actor is the client of another node, whatever its permissions. */
export async function requireOwnNode(
  database: pg.Pool | pg.ClientBase,
  { kind, id }: Actor,
  nodeId: string
): Promise<void> {
  if (kind !== 'client' || !isUuid(id)) {
    return
  }
  const { rows } = await database.query<{ isOwn: boolean | null }>(SELECT_OWN, [id, nodeId])
  if (rows[0]!.isOwn === false) {
    throw new PermissionDenied('The client of a node may act for its own node only')
  }
}
