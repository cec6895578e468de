import type pg from 'pg'

import { AnalysisPartService } from '#core/analyses/analysis_part_service'
import { digestOf } from '#core/analyses/approved_content'
import { requireUnlocked } from '#core/analyses/configuration_lock'
import { firstApproval } from '#core/analysis_nodes/approval'
import { enforce } from '#kernel/access'
import type { Actor } from '#kernel/actor'
import { EntityNotFound } from '#kernel/failures'
import { either, holds, mayWriteIn, requireThat } from '#auth/verification/checks'
import type { Origin } from '#kernel/origin'
import type { Values } from '#records/kind'
import { requireRealm } from '#kernel/realm'
import type { WrittenChange } from '#records/record_change'

const ENDS = `select a.realm_id as "analysisRealmId", n.realm_id as "nodeRealmId", n.type
  from analyses a, nodes n where a.id = $1 and n.id = $2`

/** What only those may tell who run the node. */
const DECISION = ['approvalStatus', 'comment']
const EXECUTION = ['executionStatus', 'executionProgress']

/**
 * The nodes of analyses. They are assigned by the realm of the analysis; whether they take part is decided by their own, which
 * also tells how far they are.
 */
export class AnalysisNodeService extends AnalysisPartService {
  override async update(origin: Origin, id: string, body: Values): Promise<string> {
    enforce(this.kind.access.update!, origin.actor)
    return this.change(id, async (transaction, { part }) => {
      requireEitherRealm(origin.actor, part)
      requireAuthority(origin.actor, part, body)
      const decided = await this.#withDigest(transaction, part, body)
      return this.updateWithin(transaction, origin, id, decided)
    })
  }

  override async remove(origin: Origin, id: string): Promise<string> {
    enforce(this.kind.access.remove!, origin.actor)
    return this.change(id, async (transaction, { part }) => {
      requireEitherRealm(origin.actor, part)
      return this.removeWithin(transaction, origin, id)
    })
  }

  /** Takes a node out of all analyses. Whoever calls this holds those, and the node. */
  async removeNode(transaction: pg.ClientBase, origin: Origin, nodeId: string): Promise<void> {
    for (const { id } of await assignmentsOf(transaction, nodeId)) {
      await this.removeWithin(transaction, origin, id)
    }
  }

  /** Has the analyses of a node, which the caller holds, tell anew what nodes they have: its type changed. */
  async followNode(transaction: pg.ClientBase, origin: Origin, nodeId: string): Promise<void> {
    for (const { analysisId } of await assignmentsOf(transaction, nodeId)) {
      await this.upkeep.followNodes(transaction, origin, analysisId)
    }
  }

  protected override async prepareCreation({ actor }: Origin, body: Values): Promise<Values> {
    const { analysisId, nodeId } = body
    const { rows } = await this.pool.query(ENDS, [analysisId, nodeId])
    if (!rows[0]) {
      throw new EntityNotFound('analysis')
    }
    const { type, ...realms } = rows[0]
    requireRealm(actor, realms.analysisRealmId)
    return { analysisId, nodeId, ...realms, approvalStatus: firstApproval(type) }
  }

  protected override async inCreation(
    transaction: pg.ClientBase,
    _origin: Origin,
    values: Values
  ): Promise<Values> {
    const analysis = await this.lockAnalysis(transaction, values.analysisId)
    requireUnlocked(analysis)
    await this.#requireInProject(transaction, analysis, values.nodeId)
    await this.answerExisting(transaction, values, ['analysisId', 'nodeId'])
    return values
  }

  protected override async afterWrite(
    transaction: pg.ClientBase,
    origin: Origin,
    { type, previous, next }: WrittenChange
  ): Promise<void> {
    const id = (next ?? previous)!.analysisId as string
    if (type === 'deleted') {
      await this.upkeep.followRemoval(transaction, origin, id, 'nodes')
    }
    await this.upkeep.followNodes(transaction, origin, id)
  }

  /** With an approval is kept what was approved. */
  async #withDigest(
    transaction: pg.ClientBase,
    { analysisId }: Values,
    body: Values
  ): Promise<Values> {
    if (body.approvalStatus === undefined) {
      return body
    }
    const isApproval = body.approvalStatus === 'approved'
    const approvedDigest = isApproval ? await digestOf(transaction, analysisId as string) : null
    return { ...body, approvedDigest }
  }

  /** An analysis runs on nodes of its project only, whether those agreed to the project or not yet. */
  async #requireInProject(
    transaction: pg.ClientBase,
    { projectId }: Values,
    nodeId: unknown
  ): Promise<void> {
    const { rowCount } = await transaction.query(
      'select 1 from project_nodes where project_id = $1 and node_id = $2',
      [projectId, nodeId]
    )
    if (rowCount === 0) {
      throw new EntityNotFound('project-node')
    }
  }
}

async function assignmentsOf(transaction: pg.ClientBase, nodeId: string) {
  const { rows } = await transaction.query<{ id: string; analysisId: string }>(
    'select id, analysis_id as "analysisId" from analysis_nodes where node_id = $1 order by analysis_id',
    [nodeId]
  )
  return rows
}

function requireEitherRealm(actor: Actor, { nodeRealmId, analysisRealmId }: Values): void {
  requireThat(
    actor,
    either(mayWriteIn(analysisRealmId as string), mayWriteIn(nodeRealmId as string))
  )
}

function requireAuthority(actor: Actor, { nodeRealmId }: Values, body: Values): void {
  const isTold = (names: string[]) => names.some((name) => body[name] !== undefined)
  const isOfNode = mayWriteIn(nodeRealmId as string)
  if (isTold(DECISION)) {
    requireThat(actor, holds('analysis_approve'), isOfNode)
  }
  if (isTold(EXECUTION)) {
    requireThat(actor, holds('analysis_update'), isOfNode)
  }
}
