import type pg from 'pg'

import type { Analysis } from '#core/analyses/analysis'
import { AnalysisPartService, type Made } from '#core/analyses/analysis_part_service'
import type { AnalysisUpkeep } from '#core/analyses/analysis_upkeep'
import { digestOf } from '#core/analyses/approved_content'
import { requireUnlocked } from '#core/analyses/configuration_lock'
import type { StartingNode } from '#core/analyses/starting_nodes'
import {
  analysisNode,
  type AnalysisNode,
  type createAnalysisNode,
  type updateAnalysisNode,
} from './analysis_node.js'
import { firstApproval } from './approval.js'
import { enforce } from '#kernel/access'
import type { Actor } from '#kernel/actor'
import type { BodyOf } from '#kernel/body'
import { EntityNotFound } from '#kernel/failures'
import { either, holds, mayWriteIn, requireThat } from '#auth/verification/checks'
import type { Origin } from '#kernel/origin'
import type { Values } from '#records/kind'
import { requireRealm } from '#kernel/realm'
import type { RecordServiceOptions } from '#records/record_service'
import type { Writable, Written } from '#records/record_store'
import type { Row } from '#records/row'
import { inTransaction } from '#records/transaction'

const ENDS = `select a.realm_id as "analysisRealmId", n.realm_id as "nodeRealmId", n.type
  from analyses a, nodes n where a.id = $1 and n.id = $2`

interface Ends {
  readonly analysisRealmId: string
  readonly nodeRealmId: string
  readonly type: string
}

/** What only those may tell who run the node. */
const DECISION = ['approvalStatus', 'comment']
const EXECUTION = ['executionStatus', 'executionProgress']

/**
 * The nodes of analyses. They are assigned by the realm of the analysis; whether they take part is decided by their own, which
 * also tells how far they are.
 */
export class AnalysisNodeService extends AnalysisPartService<typeof AnalysisNode> {
  constructor(options: RecordServiceOptions, upkeep: AnalysisUpkeep) {
    super(analysisNode, options, upkeep)
  }

  override async create(origin: Origin, body: BodyOf<typeof createAnalysisNode>): Promise<string> {
    enforce(this.kind.access.create!, origin.actor)
    await this.requireRelations(body)
    const { analysisId, nodeId } = body
    const { type, ...realms } = await this.#endsOf(body)
    requireRealm(origin.actor, realms.analysisRealmId)
    const values = { analysisId, nodeId, ...realms, approvalStatus: firstApproval(type) }
    const made = await inTransaction(this.pool, async (transaction): Promise<Made> => {
      const analysis = await this.lockAnalysis(transaction, analysisId)
      requireUnlocked(analysis)
      await this.#requireInProject(transaction, analysis, nodeId)
      const existing = await this.existing(transaction, values, ['analysisId', 'nodeId'])
      if (existing !== undefined) {
        return { existing }
      }
      const written = await this.insert(transaction, origin, values)
      await this.upkeep.followNodes(transaction, origin, analysisId)
      return written
    })
    return this.answerMade(origin, made)
  }

  override async update(
    origin: Origin,
    id: string,
    body: BodyOf<typeof updateAnalysisNode>
  ): Promise<string> {
    enforce(this.kind.access.update!, origin.actor)
    return this.holdingPart(id, async (transaction, { part }) => {
      requireEitherRealm(origin.actor, part)
      requireAuthority(origin.actor, part, body)
      const decided = await this.#withDigest(transaction, part, body)
      const written = await this.change(transaction, origin, part, decided)
      await this.upkeep.followNodes(transaction, origin, part.analysisId)
      return written
    })
  }

  override async remove(origin: Origin, id: string): Promise<string> {
    enforce(this.kind.access.remove!, origin.actor)
    return this.holdingPart(id, async (transaction, { part }) => {
      requireEitherRealm(origin.actor, part)
      return this.#takeOut(transaction, origin, part)
    })
  }

  /** Gives an analysis that was just created the nodes it starts with, which it shows already. */
  async assign(
    transaction: pg.ClientBase,
    origin: Origin,
    { id: analysisId, realmId: analysisRealmId }: Row<typeof Analysis>,
    nodes: readonly StartingNode[]
  ): Promise<void> {
    for (const { nodeId, nodeRealmId, approvalStatus } of nodes) {
      const values = { analysisId, analysisRealmId, nodeId, nodeRealmId, approvalStatus }
      await this.insert(transaction, origin, values)
    }
  }

  /** Takes back what a node decided. Whoever calls this has the analysis follow. */
  async withdrawDecision(transaction: pg.ClientBase, origin: Origin, id: string): Promise<void> {
    const undecided = { approvalStatus: null, approvedDigest: null }
    await this.changeById(transaction, origin, id, undecided)
  }

  /** Takes a node out of all analyses. Whoever calls this holds those, and the node. */
  async removeNode(transaction: pg.ClientBase, origin: Origin, nodeId: string): Promise<void> {
    for (const { id } of await assignmentsOf(transaction, nodeId)) {
      await this.#takeOut(transaction, origin, await this.lock(transaction, id))
    }
  }

  /** Has the analyses of a node, which the caller holds, tell anew what nodes they have: its type changed. */
  async followNode(transaction: pg.ClientBase, origin: Origin, nodeId: string): Promise<void> {
    for (const { analysisId } of await assignmentsOf(transaction, nodeId)) {
      await this.upkeep.followNodes(transaction, origin, analysisId)
    }
  }

  /** Others hear first what becomes of the analysis. */
  async #takeOut(
    transaction: pg.ClientBase,
    origin: Origin,
    part: Row<typeof AnalysisNode>
  ): Promise<Written<typeof AnalysisNode>> {
    const { analysisId } = part
    const removed = await this.removeUntold(transaction, origin, part)
    await this.upkeep.followRemoval(transaction, origin, analysisId, 'nodes')
    await this.upkeep.followNodes(transaction, origin, analysisId)
    await removed.tell()
    return removed
  }

  async #endsOf({ analysisId, nodeId }: BodyOf<typeof createAnalysisNode>): Promise<Ends> {
    const { rows } = await this.pool.query<Ends>(ENDS, [analysisId, nodeId])
    if (!rows[0]) {
      throw new EntityNotFound('analysis')
    }
    return rows[0]
  }

  /** With an approval is kept what was approved. */
  async #withDigest(
    transaction: pg.ClientBase,
    { analysisId }: Row<typeof AnalysisNode>,
    body: BodyOf<typeof updateAnalysisNode>
  ): Promise<Writable<typeof AnalysisNode>> {
    if (body.approvalStatus === undefined) {
      return body
    }
    const isApproval = body.approvalStatus === 'approved'
    const approvedDigest = isApproval ? await digestOf(transaction, analysisId) : null
    return { ...body, approvedDigest }
  }

  /** An analysis runs on nodes of its project only, whether those agreed to the project or not yet. */
  async #requireInProject(
    transaction: pg.ClientBase,
    { projectId }: Row<typeof Analysis>,
    nodeId: string
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

function requireEitherRealm(
  actor: Actor,
  { nodeRealmId, analysisRealmId }: Row<typeof AnalysisNode>
): void {
  requireThat(actor, either(mayWriteIn(analysisRealmId), mayWriteIn(nodeRealmId)))
}

function requireAuthority(
  actor: Actor,
  { nodeRealmId }: Row<typeof AnalysisNode>,
  body: Values
): void {
  const isTold = (names: string[]) => names.some((name) => body[name] !== undefined)
  const isOfNode = mayWriteIn(nodeRealmId)
  if (isTold(DECISION)) {
    requireThat(actor, holds('analysis_approve'), isOfNode)
  }
  if (isTold(EXECUTION)) {
    requireThat(actor, holds('analysis_update'), isOfNode)
  }
}
