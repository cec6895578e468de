import type pg from 'pg'

import { analysis, type Analysis, type createAnalysis, type updateAnalysis } from './analysis.js'
import type { AnalysisUpkeep } from './analysis_upkeep.js'
import { requireChangeable, requireMember, stored, withImage } from './analysis_rules.js'
import { newAnalysis } from './new_analysis.js'
import { figuresOf } from './node_figures.js'
import { countInProject, lockProjectOf, projectFor } from './project_of_analysis.js'
import { startingWith, type StartingNode } from './starting_nodes.js'
import type { AnalysisNodeService } from '#core/analysis_nodes/analysis_node_service'
import { askForBuckets, bucketsOf } from '#core/analysis_buckets/requested_buckets'
import type { CodeLocks } from '#core/code_locks/code_locks'
import type { OwnClients } from '#core/clients/own_clients'
import { count } from '#core/projects/counters'
import { enforce } from '#kernel/access'
import type { BodyOf } from '#kernel/body'
import { ANALYSIS_CLIENT_PERMISSIONS } from '#auth/client_permissions'
import { holds, isKind, mayWriteIn, requireThat } from '#auth/verification/checks'
import type { Origin } from '#kernel/origin'
import { changesSomething } from '#records/record_change'
import { RecordService, type RecordServiceOptions } from '#records/record_service'
import type { Writable, Written } from '#records/record_store'
import type { Row } from '#records/row'
import { inTransaction, sideBySide } from '#records/transaction'

const CLIENT = { names: ANALYSIS_CLIENT_PERMISSIONS }

/** What of that which nodes approve stands in the record itself. */
const OWN_CONTENT = ['masterImageId', 'imageCommandArguments'] as const

type NewAnalysis = Writable<typeof Analysis> & { readonly projectId: string }

interface Needs {
  readonly clients: OwnClients
  readonly analysisNodes: AnalysisNodeService
  readonly upkeep: AnalysisUpkeep
  readonly codeLocks: CodeLocks
}

/**
 * Analyses, as far as they are records: who may create and change them, the client they log in with, and the nodes they start
 * with, which are those that agreed to take part in the project.
 */
export class AnalysisService extends RecordService<typeof Analysis> {
  readonly #clients: OwnClients
  readonly #analysisNodes: AnalysisNodeService
  readonly #upkeep: AnalysisUpkeep
  readonly #codeLocks: CodeLocks

  constructor(options: RecordServiceOptions, { clients, analysisNodes, upkeep, codeLocks }: Needs) {
    super(analysis, options)
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
    const project = await projectFor(this.pool, actor, body.projectId)
    requireMember(actor, project)
    const values = newAnalysis(body, project, actor)
    requireThat(actor, holds('analysis_create', values))
    return this.#clients.around(values, CLIENT, (client) =>
      inTransaction(this.pool, async (transaction) => {
        const [{ written, nodes }, attached] = await sideBySide(
          this.#insertCounted(transaction, origin, { ...values, clientId: client.id }),
          client.attach(transaction)
        )
        await attached.tell()
        await this.#analysisNodes.assign(transaction, origin, written.values, nodes)
        await askForBuckets(transaction, written.values)
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
    await this.requireRelations(body)
    const { data } = await inTransaction(this.pool, async (transaction) => {
      const previous = await this.lockFor(origin, transaction, id)
      requireThat(origin.actor, holds('analysis_update', previous))
      const sent = stored(body)
      requireChangeable(previous, sent)
      const written = await this.change(transaction, origin, previous, withImage(previous, sent))
      const changed = OWN_CONTENT.filter((name) => previous[name] !== written.values[name])
      await this.#upkeep.followContent(transaction, origin, previous.id, changed)
      return written
    })
    return data
  }

  /** Holds the project before the analysis, as everybody does. */
  override async remove(origin: Origin, id: string): Promise<string> {
    enforce(this.kind.access.remove!, origin.actor)
    await this.#clients.requireRemovable(origin.actor, 'analyses', id, ANALYSIS_CLIENT_PERMISSIONS)
    this.requireId(id)
    const { data } = await inTransaction(this.pool, async (transaction) => {
      await lockProjectOf(transaction, id)
      const previous = await this.lock(transaction, id)
      const { realmId, projectId, clientId } = previous
      requireThat(origin.actor, holds('analysis_delete', previous), mayWriteIn(realmId))
      await this.#codeLocks.releaseAndDelete(transaction, id, await bucketsOf(transaction, id))
      const removed = await this.removeUntold(transaction, origin, previous)
      await count(transaction, 'analyses', projectId, -1)
      await this.#clients.removeLater(transaction, clientId)
      await removed.tell()
      return removed
    })
    return data
  }

  /** Shows what an analysis tells of its nodes and files. What it shows already is not written again. */
  async showFigures(
    transaction: pg.ClientBase,
    origin: Origin,
    id: string,
    figures: Writable<typeof Analysis>
  ): Promise<void> {
    const held = await this.store.lock(transaction, id)
    if (held && changesSomething(held, figures)) {
      await this.change(transaction, origin, held, figures)
    }
  }

  /** The analysis, held until the transaction ends. Throws where it is not there, or of a realm the actor may not write. */
  hold(transaction: pg.ClientBase, origin: Origin, id: string): Promise<Row<typeof Analysis>> {
    return this.lockFor(origin, transaction, id)
  }

  /** Changes an analysis that is held, in what it is told by those who work for it. */
  write(
    transaction: pg.ClientBase,
    origin: Origin,
    held: Row<typeof Analysis>,
    values: Writable<typeof Analysis>
  ): Promise<Written<typeof Analysis>> {
    return this.change(transaction, origin, held, values)
  }

  /** An analysis that is locked has no image from now on: its own is about to be removed. */
  async leaveImage(transaction: pg.ClientBase, origin: Origin, id: string): Promise<void> {
    await this.changeById(transaction, origin, id, {
      masterImageId: null,
      imageCommandArguments: null,
      configurationImageValid: false,
    })
    await this.#upkeep.followContent(transaction, origin, id, ['masterImageId'])
  }

  /** The image became another that an analysis runs on, which is locked: nodes that approved it are asked anew. */
  followImage(transaction: pg.ClientBase, origin: Origin, id: string): Promise<void> {
    return this.#upkeep.followContent(transaction, origin, id, ['image'])
  }

  /** An analysis that is locked has no registry from now on: its own is about to be removed. */
  async leaveRegistry(transaction: pg.ClientBase, origin: Origin, id: string): Promise<void> {
    await this.changeById(transaction, origin, id, { registryId: null })
  }

  /** An analysis stays when the user is gone who made it. */
  async releaseUser(origin: Origin, id: string): Promise<void> {
    await inTransaction(this.pool, (transaction) =>
      this.changeById(transaction, origin, id, { userId: null })
    )
  }

  /** Gives an analysis another client in place of one that is gone; false where the analysis is gone as well. */
  async replaceClient(origin: Origin, id: string, clientId: string): Promise<boolean> {
    return inTransaction(this.pool, async (transaction) => {
      const previous = await this.store.lock(transaction, id)
      if (previous) {
        await this.change(transaction, origin, previous, { clientId })
        await this.#clients.grantLater(transaction, clientId, CLIENT)
      }
      return previous !== undefined
    })
  }

  /** Counts the analysis in its project, which is held by that, and gives it the nodes that agreed to the project. */
  async #insertCounted(
    transaction: pg.ClientBase,
    origin: Origin,
    values: NewAnalysis
  ): Promise<{ written: Written<typeof Analysis>; nodes: readonly StartingNode[] }> {
    const { projectId } = values
    await countInProject(transaction, projectId)
    const nodes = await startingWith(transaction, projectId)
    const figures = nodes.length === 0 ? {} : figuresOf(nodes)
    const written = await this.insert(transaction, origin, { ...values, ...figures })
    return { written, nodes }
  }
}
