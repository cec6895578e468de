import type pg from 'pg'

import type { Actor } from '#kernel/actor'
import { PermissionDenied } from '#kernel/failures'
import { isUuid } from '#kernel/is_uuid'

/** Throws if the actor is the client of another node, whatever its permissions. */
export async function requireOwnNode(
  database: pg.Pool | pg.ClientBase,
  actor: Actor,
  nodeId: string
): Promise<void> {
  const nodes = await nodesOf(database, actor)
  if (nodes.length > 0 && !nodes.includes(nodeId.toLowerCase())) {
    throw new PermissionDenied('The client of a node may act for its own node only')
  }
}

/**
 * Throws if the actor is the client of a node: it may update analyses to report their execution, and changes none, not
 * even of its own realm.
 */
export async function requireNoNode(
  database: pg.Pool | pg.ClientBase,
  actor: Actor
): Promise<void> {
  const nodes = await nodesOf(database, actor)
  if (nodes.length > 0) {
    throw new PermissionDenied(
      'The client of a node reports for its node only: change analyses with an account of their realm'
    )
  }
}

/** The nodes whose client the actor is. */
async function nodesOf(
  database: pg.Pool | pg.ClientBase,
  { kind, id }: Actor
): Promise<readonly string[]> {
  if (kind !== 'client' || !isUuid(id)) {
    return []
  }
  const { rows } = await database.query<{ id: string }>(
    'select id from nodes where client_id = $1',
    [id]
  )
  return rows.map((row) => row.id)
}
