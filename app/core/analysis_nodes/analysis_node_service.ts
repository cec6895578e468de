import { inject } from '@adonisjs/core'
import type pg from 'pg'

import { CoreRecords } from '#core/core_records'
import type { Analysis } from '#core/analyses/analysis'
import { AnalysisPartService, type CreateResult } from '#core/analyses/analysis_part_service'
import { AnalysisUpkeep } from '#core/analyses/analysis_upkeep'
import { digestOf, requireSameContent } from '#core/analyses/approved_content'
import { requireUnlocked } from '#core/analyses/configuration_lock'
import type { InitialNode } from '#core/analyses/initial_nodes'
import {
  analysisNode,
  type AnalysisNode,
  type createAnalysisNode,
  type updateAnalysisNode,
} from './analysis_node.js'
import { findRealms, requireInProject } from './assignment_realms.js'
import { initialApproval } from './approval.js'
import { changesSinceDecision, keepDecision, type ChangesSinceDecision } from './decided_content.js'
import { requireAuthority, requireEitherRealm } from './authority.js'
import { AssignmentStates } from './assignment_states.js'
import { requireNoNode, requireOwnNode } from '#core/nodes/client_of_node'
import { enforce } from '#kernel/access'
import type { BodyOf } from '#kernel/body'
import { onBehalfOfRealm, type Origin } from '#kernel/origin'
import { isUuid } from '#kernel/is_uuid'
import { requireRealm } from '#kernel/realm'
import type { RowValues, WrittenRecord } from '#records/record_store'
import type { Row } from '#records/row'
import { inTransaction } from '#records/transaction'

const WITH_EXECUTION = `select id from analysis_nodes
  where analysis_id = $1 and (execution_status is not null or execution_progress is not null
    or artifact_digest is not null)
  order by id`

const ASSIGNED_NODES = `select id, node_id as "nodeId" from analysis_nodes
  where analysis_id = $1 and node_id = any($2) order by id`

const BY_ID = `select analysis_id as "analysisId", node_id as "nodeId",
    analysis_realm_id as "analysisRealmId", node_realm_id as "nodeRealmId"
  from analysis_nodes where id = $1`

/** What of an assignment decides who reads its changes. */
type AssignedRealms = Pick<
  Row<typeof AnalysisNode>,
  'analysisId' | 'nodeId' | 'analysisRealmId' | 'nodeRealmId'
>

const NO_EXECUTION = {
  executionStatus: null,
  executionProgress: null,
  artifactTag: null,
  artifactDigest: null,
}

/** The image of an analysis at a node; null if the node has none. */
export interface NodeArtifact {
  readonly nodeId: string
  readonly artifactTag: string | null
  readonly artifactDigest: string | null
}

/**
 * The nodes of analyses. The realm of the analysis assigns them; the realm of the node decides and reports its
 * execution.
 */
@inject()
export class AnalysisNodeService extends AnalysisPartService<typeof AnalysisNode> {
  readonly #states: AssignmentStates

  constructor(records: CoreRecords, upkeep: AnalysisUpkeep) {
    super(analysisNode, records, upkeep)
    this.#states = new AssignmentStates(records)
  }

  override async create(origin: Origin, body: BodyOf<typeof createAnalysisNode>): Promise<string> {
    enforce(this.kind.access.create!, origin.actor)
    await requireNoNode(this.pool, origin.actor)
    await this.requireRelations(body)
    const { analysisId, nodeId } = body
    const { type, ...realms } = await findRealms(this.pool, body)
    requireRealm(origin.actor, realms.analysisRealmId)
    const values = { analysisId, nodeId, ...realms, approvalStatus: initialApproval(type) }
    const result = await inTransaction(this.pool, async (transaction): Promise<CreateResult> => {
      const analysis = await this.lockAnalysis(transaction, analysisId)
      requireUnlocked(analysis)
      await requireInProject(transaction, analysis, nodeId)
      const existing = await this.findExisting(transaction, values, ['analysisId', 'nodeId'])
      if (existing !== undefined) {
        return { existing }
      }
      const written = await this.insert(transaction, origin, values)
      await this.upkeep.refreshNodes(transaction, origin, analysisId)
      return written
    })
    return this.readCreated(origin, result)
  }

  override async update(
    origin: Origin,
    id: string,
    body: BodyOf<typeof updateAnalysisNode>
  ): Promise<string> {
    enforce(this.kind.access.update!, origin.actor)
    return this.withLockedPart(id, async (transaction, { part }) => {
      requireEitherRealm(origin.actor, part)
      requireAuthority(origin.actor, part, body)
      await requireOwnNode(transaction, origin.actor, part.nodeId)
      const values = await this.#withDigest(transaction, part, body)
      const isDecision = body.approvalStatus !== undefined
      const by = isDecision ? onBehalfOfRealm(origin, part.nodeRealmId) : origin
      const written = await this.#states.update(transaction, by, part, values)
      const { approvalStatus } = body
      if (approvalStatus) {
        await keepDecision(transaction, origin, { ...part, approvalStatus })
      }
      await this.#replaceSecretAfterRevocation(transaction, part, written.values)
      await this.upkeep.refreshNodes(transaction, origin, part.analysisId)
      return written
    })
  }

  override async remove(origin: Origin, id: string): Promise<string> {
    enforce(this.kind.access.remove!, origin.actor)
    return this.withLockedPart(id, async (transaction, { part }) => {
      requireEitherRealm(origin.actor, part)
      await requireOwnNode(transaction, origin.actor, part.nodeId)
      return this.#unassign(transaction, origin, part)
    })
  }

  /** What changed since the last decision of the node, for its realm and that of the analysis. */
  async changes({ actor }: Origin, id: string): Promise<ChangesSinceDecision> {
    enforce(this.kind.access.read, actor)
    const part = await this.#find(id)
    requireEitherRealm(actor, part)
    return changesSinceDecision(this.pool, part)
  }

  async #find(id: string): Promise<AssignedRealms> {
    const { rows } = isUuid(id)
      ? await this.pool.query<AssignedRealms>(BY_ID, [id])
      : { rows: [] as AssignedRealms[] }
    return rows[0] ?? this.missing()
  }

  /** Assigns the initial nodes to a new analysis, whose summary already includes them. */
  async assign(
    transaction: pg.ClientBase,
    origin: Origin,
    { id: analysisId, realmId: analysisRealmId }: Row<typeof Analysis>,
    nodes: readonly InitialNode[]
  ): Promise<void> {
    for (const { nodeId, nodeRealmId, approvalStatus } of nodes) {
      const values = { analysisId, analysisRealmId, nodeId, nodeRealmId, approvalStatus }
      await this.insert(transaction, origin, values)
    }
  }

  /** Resets artifacts and executions, which belong to a former build. */
  async resetExecutions(
    transaction: pg.ClientBase,
    origin: Origin,
    analysisId: string
  ): Promise<void> {
    const { rows } = await transaction.query<{ id: string }>(WITH_EXECUTION, [analysisId])
    for (const { id } of rows) {
      const part = await this.lock(transaction, id)
      await this.#states.update(transaction, origin, part, NO_EXECUTION)
    }
    if (rows.length > 0) {
      await this.upkeep.refreshNodes(transaction, origin, analysisId)
    }
  }

  /** Records the images at nodes. The caller has locked the analysis. */
  async recordArtifacts(
    transaction: pg.ClientBase,
    origin: Origin,
    analysisId: string,
    artifacts: readonly NodeArtifact[]
  ): Promise<void> {
    const byNode = new Map(artifacts.map(({ nodeId, ...artifact }) => [nodeId, artifact]))
    const { rows } =
      byNode.size > 0
        ? await transaction.query<{ id: string; nodeId: string }>(ASSIGNED_NODES, [
            analysisId,
            [...byNode.keys()],
          ])
        : { rows: [] }
    for (const { id, nodeId } of rows) {
      const part = await this.lock(transaction, id)
      await this.change(transaction, origin, part, byNode.get(nodeId)!)
    }
  }

  /** Unassigns a node from all analyses. The caller has locked them and the node. */
  async removeNode(transaction: pg.ClientBase, origin: Origin, nodeId: string): Promise<void> {
    for (const { id } of await findAssignments(transaction, nodeId)) {
      await this.#unassign(transaction, origin, await this.lock(transaction, id))
    }
  }

  /** Refreshes the analyses of a node after its type changed. The caller has locked them. */
  async refreshAnalyses(transaction: pg.ClientBase, origin: Origin, nodeId: string): Promise<void> {
    for (const { analysisId } of await findAssignments(transaction, nodeId)) {
      await this.upkeep.refreshNodes(transaction, origin, analysisId)
    }
  }

  /** Publishes the events of the analysis before that of the assignment. */
  async #unassign(
    transaction: pg.ClientBase,
    origin: Origin,
    part: Row<typeof AnalysisNode>
  ): Promise<WrittenRecord<typeof AnalysisNode>> {
    const { analysisId } = part
    const removed = await this.removeWithPendingEvent(transaction, origin, part)
    await this.upkeep.withdrawApprovalsAfterRemoval(transaction, origin, analysisId, 'nodes')
    await this.upkeep.refreshNodes(transaction, origin, analysisId)
    await this.#replaceSecretAfterRevocation(transaction, part)
    await removed.recordEvent()
    return removed
  }

  /** A node that had approved may know the secret of the analysis, so it is replaced when the approval ends. */
  async #replaceSecretAfterRevocation(
    transaction: pg.ClientBase,
    { analysisId, approvalStatus: before }: Row<typeof AnalysisNode>,
    next?: Row<typeof AnalysisNode>
  ): Promise<void> {
    if (before === 'approved' && next?.approvalStatus !== 'approved') {
      await this.upkeep.replaceSecret(transaction, analysisId)
    }
  }

  /** Adds the digest of the content to an approval. Throws if it is not the digest that the caller sent. */
  async #withDigest(
    transaction: pg.ClientBase,
    { analysisId }: Row<typeof AnalysisNode>,
    { contentDigest, ...values }: BodyOf<typeof updateAnalysisNode>
  ): Promise<RowValues<typeof AnalysisNode>> {
    const { approvalStatus } = values
    if (approvalStatus === undefined && contentDigest === undefined) {
      return values
    }
    const digest = await digestOf(transaction, analysisId)
    requireSameContent(contentDigest, digest)
    const approvedDigest = approvalStatus === 'approved' ? digest : null
    return approvalStatus === undefined ? values : { ...values, approvedDigest }
  }
}

async function findAssignments(transaction: pg.ClientBase, nodeId: string) {
  const { rows } = await transaction.query<{ id: string; analysisId: string }>(
    'select id, analysis_id as "analysisId" from analysis_nodes where node_id = $1 order by analysis_id',
    [nodeId]
  )
  return rows
}
