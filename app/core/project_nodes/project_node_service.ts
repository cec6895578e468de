import type pg from 'pg'

import { isUuid } from '#kernel/is_uuid'
import type { NODE_TYPES } from '#core/nodes/node'
import { count } from '#core/projects/counters'
import { enforce } from '#kernel/access'
import { EntityNotFound, RelationInvalid } from '#kernel/failures'
import type { Origin } from '#kernel/origin'
import type { Values } from '#records/kind'
import { isRealmWritable, requireRealm } from '#kernel/realm'
import { RecordService } from '#records/record_service'
import { inTransaction } from '#records/transaction'

import { isApprovedAtOnce } from './approval.js'

interface NodeOfProject {
  readonly realmId: string
  readonly type: (typeof NODE_TYPES)[number]
}

/**
 * Nodes of projects. The project's realm asks, the node's realm decides; either of them may end it.
 */
export class ProjectNodeService extends RecordService {
  override async remove(origin: Origin, id: string): Promise<string> {
    enforce(this.kind.access.remove!, origin.actor)
    if (!isUuid(id)) {
      throw new EntityNotFound(this.kind.label)
    }
    const { data } = await inTransaction(this.pool, async (transaction) => {
      await this.#lockProjectOf(transaction, id)
      await this.#requireRemovable(transaction, origin, id)
      return this.removeWithin(transaction, origin, id)
    })
    return data
  }

  /** Projects count a node no more that is about to be removed. They are locked by then. */
  async discount(transaction: pg.ClientBase, nodeId: string): Promise<void> {
    await transaction.query(
      `update projects p set nodes = nodes - 1 from project_nodes n
       where n.project_id = p.id and n.node_id = $1`,
      [nodeId]
    )
  }

  protected override async prepareCreation({ actor }: Origin, body: Values): Promise<Values> {
    const { rows } = await this.pool.query<{ realmId: string }>(
      'select realm_id as "realmId" from projects where id = $1',
      [body.projectId]
    )
    const { realmId } = rows[0] ?? goneMeanwhile()
    requireRealm(actor, realmId)
    return { ...body, projectRealmId: realmId }
  }

  protected override async inCreation(
    transaction: pg.ClientBase,
    _origin: Origin,
    values: Values
  ): Promise<Values> {
    if (!(await count(transaction, 'nodes', values.projectId as string, 1))) {
      return goneMeanwhile()
    }
    const { realmId, type } = await nodeFor(transaction, values.nodeId as string)
    const approvalStatus = isApprovedAtOnce(type) ? 'approved' : null
    return { ...values, nodeRealmId: realmId, approvalStatus }
  }

  /** Whoever removes one has locked its project, as everybody does before anything in it. */
  protected override async inRemoval(
    transaction: pg.ClientBase,
    _origin: Origin,
    { projectId }: Values
  ): Promise<void> {
    await count(transaction, 'nodes', projectId as string, -1)
  }

  /** The decision is the node's. */
  protected override async prepareUpdate(
    { actor }: Origin,
    { nodeRealmId }: Values,
    body: Values
  ): Promise<Values> {
    requireRealm(actor, nodeRealmId as string)
    return body
  }

  async #lockProjectOf(transaction: pg.ClientBase, id: string): Promise<void> {
    await transaction.query(
      `select p.id from projects p join project_nodes n on n.project_id = p.id
       where n.id = $1 for no key update of p`,
      [id]
    )
  }

  async #requireRemovable(transaction: pg.ClientBase, { actor }: Origin, id: string) {
    const previous = await this.store.lock(transaction, id)
    if (!previous) {
      throw new EntityNotFound(this.kind.label)
    }
    if (!isRealmWritable(actor, previous.nodeRealmId as string)) {
      requireRealm(actor, previous.projectRealmId as string)
    }
  }
}

async function nodeFor(transaction: pg.ClientBase, id: string): Promise<NodeOfProject> {
  const { rows } = await transaction.query<NodeOfProject>(
    'select realm_id as "realmId", type from nodes where id = $1 for key share',
    [id]
  )
  return rows[0] ?? goneMeanwhile()
}

function goneMeanwhile(): never {
  throw new RelationInvalid('The body names a record that does not exist any more')
}
