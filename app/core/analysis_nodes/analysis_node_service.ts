import type pg from 'pg'

import type { Analysis } from '#core/analyses/analysis'
import { AnalysisPartService, type Made } from '#core/analyses/analysis_part_service'
import type { AnalysisUpkeep } from '#core/analyses/analysis_upkeep'
import { digestOf, requireSameContent } from '#core/analyses/approved_content'
import { requireUnlocked } from '#core/analyses/configuration_lock'
import type { StartingNode } from '#core/analyses/starting_nodes'
import {
  analysisNode,
  type AnalysisNode,
  type createAnalysisNode,
  type updateAnalysisNode,
} from './analysis_node.js'
import { endsOf, requireInProject } from './analysis_node_ends.js'
import { firstApproval } from './approval.js'
import { requireAuthority, requireEitherRealm } from './authority.js'
import { AnalysisNodeEvents } from '#core/analysis_node_events/analysis_node_events'
import { requireOwnNode } from '#core/nodes/own_node'
import { enforce } from '#kernel/access'
import type { BodyOf } from '#kernel/body'
import { newId } from '#kernel/new_id'
import { decidingFor, type Origin } from '#kernel/origin'
import { requireRealm } from '#kernel/realm'
import type { RecordServiceOptions } from '#records/record_service'
import type { Writable, Written } from '#records/record_store'
import type { Row } from '#records/row'
import { inTransaction } from '#records/transaction'

const STATE = ['approvalStatus', 'executionStatus'] as const

const TOLD = `select id from analysis_nodes
  where analysis_id = $1 and (execution_status is not null or execution_progress is not null
    or artifact_digest is not null)
  order by id`

const SERVED = `select id, node_id as "nodeId" from analysis_nodes
  where analysis_id = $1 and node_id = any($2) order by id`

const UNTOLD = {
  executionStatus: null,
  executionProgress: null,
  artifactTag: null,
  artifactDigest: null,
}

/** The image that a node has of an analysis; null where it has none. */
export interface Artifact {
  readonly nodeId: string
  readonly artifactTag: string | null
  readonly artifactDigest: string | null
}

/**
 * The nodes of analyses. They are assigned by the realm of the analysis; whether they take part is decided by their own, which
 * also tells how far they are.
 */
export class AnalysisNodeService extends AnalysisPartService<typeof AnalysisNode> {
  readonly #events: AnalysisNodeEvents

  constructor(options: RecordServiceOptions, upkeep: AnalysisUpkeep) {
    super(analysisNode, options, upkeep)
    this.#events = new AnalysisNodeEvents(options)
  }

  override async create(origin: Origin, body: BodyOf<typeof createAnalysisNode>): Promise<string> {
    enforce(this.kind.access.create!, origin.actor)
    await this.requireRelations(body)
    const { analysisId, nodeId } = body
    const { type, ...realms } = await endsOf(this.pool, body)
    requireRealm(origin.actor, realms.analysisRealmId)
    const values = { analysisId, nodeId, ...realms, approvalStatus: firstApproval(type) }
    const made = await inTransaction(this.pool, async (transaction): Promise<Made> => {
      const analysis = await this.lockAnalysis(transaction, analysisId)
      requireUnlocked(analysis)
      await requireInProject(transaction, analysis, nodeId)
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
      await requireOwnNode(transaction, origin.actor, part.nodeId)
      const decided = await this.#withDigest(transaction, part, body)
      const isDecision = body.approvalStatus !== undefined
      const by = isDecision ? decidingFor(origin, part.nodeRealmId) : origin
      const written = await this.#changeState(transaction, by, part, decided)
      await this.#followAccess(transaction, part, written.values)
      await this.upkeep.followNodes(transaction, origin, part.analysisId)
      return written
    })
  }

  override async remove(origin: Origin, id: string): Promise<string> {
    enforce(this.kind.access.remove!, origin.actor)
    return this.holdingPart(id, async (transaction, { part }) => {
      requireEitherRealm(origin.actor, part)
      await requireOwnNode(transaction, origin.actor, part.nodeId)
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

  /** Takes back what a node decided. The caller has the analysis follow. */
  async withdrawDecision(transaction: pg.ClientBase, origin: Origin, id: string): Promise<void> {
    const undecided = { approvalStatus: null, approvedDigest: null }
    const part = await this.lock(transaction, id)
    await this.#changeState(transaction, origin, part, undecided)
  }

  /** What nodes have and told of an execution was about another build. */
  async forgetExecutions(
    transaction: pg.ClientBase,
    origin: Origin,
    analysisId: string
  ): Promise<void> {
    const { rows } = await transaction.query<{ id: string }>(TOLD, [analysisId])
    for (const { id } of rows) {
      const part = await this.lock(transaction, id)
      await this.#changeState(transaction, origin, part, UNTOLD)
    }
    if (rows.length > 0) {
      await this.upkeep.followNodes(transaction, origin, analysisId)
    }
  }

  /** Notes which image nodes have of an analysis, which the caller holds. */
  async noteArtifacts(
    transaction: pg.ClientBase,
    origin: Origin,
    analysisId: string,
    artifacts: readonly Artifact[]
  ): Promise<void> {
    const byNode = new Map(artifacts.map(({ nodeId, ...artifact }) => [nodeId, artifact]))
    const { rows } =
      byNode.size > 0
        ? await transaction.query<{ id: string; nodeId: string }>(SERVED, [
            analysisId,
            [...byNode.keys()],
          ])
        : { rows: [] }
    for (const { id, nodeId } of rows) {
      const part = await this.lock(transaction, id)
      await this.change(transaction, origin, part, byNode.get(nodeId)!)
    }
  }

  /** Takes a node out of all analyses. The caller holds those, and the node. */
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

  /** Others are told first what becomes of the analysis. */
  async #takeOut(
    transaction: pg.ClientBase,
    origin: Origin,
    part: Row<typeof AnalysisNode>
  ): Promise<Written<typeof AnalysisNode>> {
    const { analysisId } = part
    const removed = await this.removeUntold(transaction, origin, part)
    await this.upkeep.followRemoval(transaction, origin, analysisId, 'nodes')
    await this.upkeep.followNodes(transaction, origin, analysisId)
    await this.#followAccess(transaction, part)
    await removed.tell()
    return removed
  }

  /** A node that agreed could read the secret of the analysis, and knows it when it does not agree any more. */
  async #followAccess(
    transaction: pg.ClientBase,
    { analysisId, approvalStatus: before }: Row<typeof AnalysisNode>,
    next?: Row<typeof AnalysisNode>
  ): Promise<void> {
    if (before === 'approved' && next?.approvalStatus !== 'approved') {
      await this.upkeep.replaceSecret(transaction, analysisId)
    }
  }

  /** What a node decided, and how far it is, stays known when it is something else already. */
  async #changeState(
    transaction: pg.ClientBase,
    origin: Origin,
    part: Row<typeof AnalysisNode>,
    values: Writable<typeof AnalysisNode>
  ): Promise<Written<typeof AnalysisNode>> {
    const messageId = newId()
    const written = await this.change(transaction, origin, part, values, messageId)
    if (STATE.some((name) => part[name] !== written.values[name])) {
      await this.#events.note(transaction, origin, part, messageId)
    }
    return written
  }

  /** With an approval is kept what was approved. Throws where that is not what the caller looked at. */
  async #withDigest(
    transaction: pg.ClientBase,
    { analysisId }: Row<typeof AnalysisNode>,
    { contentDigest, ...values }: BodyOf<typeof updateAnalysisNode>
  ): Promise<Writable<typeof AnalysisNode>> {
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

async function assignmentsOf(transaction: pg.ClientBase, nodeId: string) {
  const { rows } = await transaction.query<{ id: string; analysisId: string }>(
    'select id, analysis_id as "analysisId" from analysis_nodes where node_id = $1 order by analysis_id',
    [nodeId]
  )
  return rows
}
