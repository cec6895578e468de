import { inject } from '@adonisjs/core'
import type pg from 'pg'

import { CoreRecords } from '#core/core_records'
import type { NODE_TYPES } from '#core/nodes/node'
import { SecretReplacements } from '#core/clients/secret_replacements'
import { changeCount } from '#core/projects/counters'
import { enforce } from '#kernel/access'
import type { BodyOf } from '#kernel/body'
import { RelationInvalid } from '#kernel/failures'
import { onBehalfOfRealm, type Origin } from '#kernel/origin'
import { isRealmWritable, requireRealm } from '#kernel/realm'
import { RecordService } from '#records/record_service'
import { inTransaction } from '#records/transaction'

import { isApprovedInitially } from './approval.js'
import {
  projectNode,
  type createProjectNode,
  type ProjectNode,
  type updateProjectNode,
} from './project_node.js'

interface NodeOfProject {
  readonly realmId: string
  readonly type: (typeof NODE_TYPES)[number]
}

/** Nodes of projects. The realm of the project adds them, the realm of the node decides, and both may remove them. */
@inject()
export class ProjectNodeService extends RecordService<typeof ProjectNode> {
  readonly #secrets: SecretReplacements

  constructor(records: CoreRecords, secrets: SecretReplacements) {
    super(projectNode, records)
    this.#secrets = secrets
  }

  override async create(origin: Origin, body: BodyOf<typeof createProjectNode>): Promise<string> {
    enforce(this.kind.access.create!, origin.actor)
    await this.requireRelations(body)
    const projectRealmId = await this.#findRealm(body.projectId)
    requireRealm(origin.actor, projectRealmId)
    const { data } = await inTransaction(this.pool, async (transaction) => {
      if (!(await changeCount(transaction, 'nodes', body.projectId, 1))) {
        return throwRelationMissing()
      }
      const { realmId: nodeRealmId, type } = await lockNode(transaction, body.nodeId)
      return this.insert(transaction, origin, {
        ...body,
        projectRealmId,
        nodeRealmId,
        approvalStatus: isApprovedInitially(type) ? 'approved' : null,
      })
    })
    return data
  }

  /** Only the realm of the node decides. */
  override async update(
    origin: Origin,
    id: string,
    body: BodyOf<typeof updateProjectNode>
  ): Promise<string> {
    enforce(this.kind.access.update!, origin.actor)
    await this.requireRelations(body)
    const { data } = await inTransaction(this.pool, async (transaction) => {
      const previous = await this.lockWritable(origin, transaction, id)
      requireRealm(origin.actor, previous.nodeRealmId)
      const isDecision = body.approvalStatus !== undefined
      const by = isDecision ? onBehalfOfRealm(origin, previous.nodeRealmId) : origin
      const written = await this.change(transaction, by, previous, body)
      if (written.values.approvalStatus === 'rejected' && previous.approvalStatus !== 'rejected') {
        await this.#secrets.scheduleInProject(transaction, previous)
      }
      return written
    })
    return data
  }

  /** Locks the project first; every writer uses this order. */
  override async remove(origin: Origin, id: string): Promise<string> {
    enforce(this.kind.access.remove!, origin.actor)
    this.requireId(id)
    const { data } = await inTransaction(this.pool, async (transaction) => {
      await lockProjectOf(transaction, id)
      const previous = await this.lock(transaction, id)
      if (!isRealmWritable(origin.actor, previous.nodeRealmId)) {
        requireRealm(origin.actor, previous.projectRealmId)
      }
      await changeCount(transaction, 'nodes', previous.projectId, -1)
      await this.#secrets.scheduleInProject(transaction, previous)
      return this.removeRecord(transaction, origin, previous)
    })
    return data
  }

  /** Before a node is removed: decrements the counts of its projects, which the caller has locked. */
  async decrementCounts(transaction: pg.ClientBase, nodeId: string): Promise<void> {
    await transaction.query(
      `update projects p set nodes = nodes - 1 from project_nodes n
       where n.project_id = p.id and n.node_id = $1`,
      [nodeId]
    )
  }

  async #findRealm(projectId: string): Promise<string> {
    const { rows } = await this.pool.query<{ realmId: string }>(
      'select realm_id as "realmId" from projects where id = $1',
      [projectId]
    )
    const { realmId } = rows[0] ?? throwRelationMissing()
    return realmId
  }
}

async function lockProjectOf(transaction: pg.ClientBase, id: string): Promise<void> {
  await transaction.query(
    `select p.id from projects p join project_nodes n on n.project_id = p.id
     where n.id = $1 for no key update of p`,
    [id]
  )
}

async function lockNode(transaction: pg.ClientBase, id: string): Promise<NodeOfProject> {
  const { rows } = await transaction.query<NodeOfProject>(
    'select realm_id as "realmId", type from nodes where id = $1 for key share',
    [id]
  )
  return rows[0] ?? throwRelationMissing()
}

function throwRelationMissing(): never {
  throw new RelationInvalid('The body refers to a record that was deleted')
}
