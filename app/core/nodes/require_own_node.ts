import type pg from 'pg'

import type { Actor } from '#kernel/actor'
import { PermissionDenied } from '#kernel/failures'
import { isUuid } from '#kernel/is_uuid'

const SELECT_OWN = `select bool_or(id = $2) as "isOwn" from nodes where client_id = $1`

/** Throws for the login of another node, whatever permissions it has: each speaks for its own node only. */
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
    throw new PermissionDenied('The login of a node speaks for its own node only')
  }
}
