import { inject } from '@adonisjs/core'
import type pg from 'pg'

import { CoreRecords } from '#core/core_records'
import { analysis, type Analysis, type createAnalysis, type updateAnalysis } from './analysis.js'
import { AnalysisUpkeep } from './analysis_upkeep.js'
import { requireChangeable, requireMember, toStored, withImage } from './analysis_rules.js'
import { newAnalysis } from './new_analysis.js'
import { summarizeNodes } from './node_summary.js'
import { countInProject, lockProjectOf, findProject } from './project_of_analysis.js'
import { findInitialNodes, type InitialNode } from './initial_nodes.js'
import { AnalysisNodeService } from '#core/analysis_nodes/analysis_node_service'
import { requestBuckets, collectBuckets } from '#core/analysis_buckets/bucket_requests'
import { CodeLocks } from '#core/code_locks/code_locks'
import { OwnClients } from '#core/clients/own_clients'
import { requireNoNode } from '#core/nodes/client_of_node'
import { changeCount } from '#core/projects/counters'
import { enforce } from '#kernel/access'
import type { BodyOf } from '#kernel/body'
import { ANALYSIS_CLIENT_PERMISSIONS } from '#auth/client_permissions'
import { hasPermission, isKind, mayWriteIn, requireThat } from '#auth/verification/checks'
import type { Origin } from '#kernel/origin'
import { RecordService } from '#records/record_service'
import type { RowValues, WrittenRecord } from '#records/record_store'
import type { Row } from '#records/row'
import { inTransaction, concurrently } from '#records/transaction'

const CLIENT = { names: ANALYSIS_CLIENT_PERMISSIONS }

/** The approved content that is stored in columns of the analysis. */
const OWN_CONTENT = ['masterImageId', 'imageCommandArguments'] as const

type NewAnalysis = RowValues<typeof Analysis> & { readonly projectId: string }

/**
 * Analyses as records: who may create and change them, their client, and their initial nodes, which are the nodes that
 * approved the project.
 */
@inject()
export class AnalysisService extends RecordService<typeof Analysis> {
  readonly #clients: OwnClients
  readonly #analysisNodes: AnalysisNodeService
  readonly #upkeep: AnalysisUpkeep
  readonly #codeLocks: CodeLocks

  constructor(
    records: CoreRecords,
    clients: OwnClients,
    analysisNodes: AnalysisNodeService,
    upkeep: AnalysisUpkeep,
    codeLocks: CodeLocks
  ) {
    super(analysis, records)
    this.#clients = clients
    this.#analysisNodes = analysisNodes
    this.#upkeep = upkeep
    this.#codeLocks = codeLocks
  }

  override async create(origin: Origin, body: BodyOf<typeof createAnalysis>): Promise<string> {
    const { actor } = origin
    enforce(this.kind.access.create!, actor)
    await this.requireRelations(body)
    requireThat(actor, isKind('user'))
    const project = await findProject(this.pool, actor, body.projectId)
    requireMember(actor, project)
    const values = newAnalysis(body, project, actor)
    requireThat(actor, hasPermission('analysis_create', values))
    return this.#clients.withNewClient(values, CLIENT, (client) =>
      inTransaction(this.pool, async (transaction) => {
        const [{ written, nodes }, attached] = await concurrently(
          this.#insertCounted(transaction, origin, { ...values, clientId: client.id }),
          client.attach(transaction)
        )
        await attached.recordEvent()
        await this.#analysisNodes.assign(transaction, origin, written.values, nodes)
        await requestBuckets(transaction, written.values)
        return written.data
      })
    )
  }

  override async update(
    origin: Origin,
    id: string,
    body: BodyOf<typeof updateAnalysis>
  ): Promise<string> {
    enforce(this.kind.access.update!, origin.actor)
    await requireNoNode(this.pool, origin.actor)
    await this.requireRelations(body)
    const { data } = await inTransaction(this.pool, async (transaction) => {
      const previous = await this.lockWritable(origin, transaction, id)
      requireThat(origin.actor, hasPermission('analysis_update', previous))
      const sent = toStored(body)
      requireChangeable(previous, sent)
      const written = await this.change(transaction, origin, previous, withImage(previous, sent))
      const changed = OWN_CONTENT.filter((name) => previous[name] !== written.values[name])
      await this.#upkeep.withdrawOutdatedApprovals(transaction, origin, previous.id, changed)
      return written
    })
    return data
  }

  /** Locks the project first; every writer uses this order. */
  override async remove(origin: Origin, id: string): Promise<string> {
    enforce(this.kind.access.remove!, origin.actor)
    await this.#clients.requireRemovable(origin.actor, 'analyses', id, ANALYSIS_CLIENT_PERMISSIONS)
    this.requireId(id)
    const { data } = await inTransaction(this.pool, async (transaction) => {
      await lockProjectOf(transaction, id)
      const previous = await this.lock(transaction, id)
      const { realmId, projectId, clientId } = previous
      requireThat(origin.actor, hasPermission('analysis_delete', previous), mayWriteIn(realmId))
      await this.#codeLocks.releaseAndDelete(transaction, id, await collectBuckets(transaction, id))
      const removed = await this.removeWithPendingEvent(transaction, origin, previous)
      await changeCount(transaction, 'analyses', projectId, -1)
      await this.#clients.scheduleRemoval(transaction, clientId)
      await removed.recordEvent()
      return removed
    })
    return data
  }

  /** Locks an analysis. Throws if it does not exist, or the actor may not change it. */
  async lockAnalysis(
    transaction: pg.ClientBase,
    origin: Origin,
    id: string
  ): Promise<Row<typeof Analysis>> {
    await requireNoNode(transaction, origin.actor)
    return this.lockWritable(origin, transaction, id)
  }

  /** Changes a locked analysis for a command or for the report of a worker. */
  write(
    transaction: pg.ClientBase,
    origin: Origin,
    current: Row<typeof Analysis>,
    values: RowValues<typeof Analysis>
  ): Promise<WrittenRecord<typeof Analysis>> {
    return this.change(transaction, origin, current, values)
  }

  /** Removes the image from a locked analysis, before the image is deleted. */
  async detachImage(transaction: pg.ClientBase, origin: Origin, id: string): Promise<void> {
    await this.updateById(transaction, origin, id, {
      masterImageId: null,
      imageCommandArguments: null,
      configurationImageValid: false,
    })
    await this.#upkeep.withdrawOutdatedApprovals(transaction, origin, id, ['masterImageId'])
  }

  /** Withdraws approvals after the image of a locked analysis changed. */
  withdrawOutdatedApprovals(transaction: pg.ClientBase, origin: Origin, id: string): Promise<void> {
    return this.#upkeep.withdrawOutdatedApprovals(transaction, origin, id, ['image'])
  }

  /** Removes the registry from a locked analysis, before the registry is deleted. */
  async detachRegistry(transaction: pg.ClientBase, origin: Origin, id: string): Promise<void> {
    await this.updateById(transaction, origin, id, { registryId: null })
  }

  /** Removes the reference to a deleted user; the analysis itself stays. */
  async detachUser(origin: Origin, id: string): Promise<void> {
    await inTransaction(this.pool, (transaction) =>
      this.updateById(transaction, origin, id, { userId: null })
    )
  }

  /** Assigns a new client in place of a missing one. Returns false if the analysis was deleted. */
  async replaceClient(origin: Origin, id: string, clientId: string): Promise<boolean> {
    return inTransaction(this.pool, async (transaction) => {
      const previous = await this.store.lock(transaction, id)
      if (previous) {
        await this.change(transaction, origin, previous, { clientId })
        await this.#clients.scheduleGrant(transaction, clientId, CLIENT)
      }
      return previous !== undefined
    })
  }

  /** Counts the analysis in its project, which locks the project, and finds its initial nodes. */
  async #insertCounted(
    transaction: pg.ClientBase,
    origin: Origin,
    values: NewAnalysis
  ): Promise<{ written: WrittenRecord<typeof Analysis>; nodes: readonly InitialNode[] }> {
    const { projectId } = values
    await countInProject(transaction, projectId)
    const nodes = await findInitialNodes(transaction, projectId)
    const summary = nodes.length === 0 ? {} : summarizeNodes(nodes)
    const written = await this.insert(transaction, origin, { ...values, ...summary })
    return { written, nodes }
  }
}
