import type pg from 'pg'

import { AnalysisUpkeep } from '#core/analyses/analysis_upkeep'
import {
  requireChangeable,
  requireMember,
  stored,
  withImage,
  type ProjectOfAnalysis,
} from '#core/analyses/analysis_rules'
import { figuresOf } from '#core/analyses/node_figures'
import { startingWith, type StartingNode } from '#core/analyses/starting_nodes'
import { analysisNode } from '#core/analysis_nodes/analysis_node'
import { ClientOwnerService } from '#core/clients/client_owner_service'
import { generatedName } from '#core/names/generated_name'
import { clientTasks } from '#core/clients/identity'
import { count } from '#core/projects/counters'
import { enforce } from '#kernel/access'
import { EntityNotFound, RelationInvalid } from '#kernel/failures'
import { ANALYSIS_CLIENT_PERMISSIONS } from '#auth/client_permissions'
import { holds, isKind, mayWriteIn, requireThat } from '#auth/verification/checks'
import type { Origin } from '#kernel/origin'
import { isUuid } from '#kernel/is_uuid'
import type { Kind, Values } from '#records/kind'
import type { WrittenChange } from '#records/record_change'
import { RecordService, type RecordServiceOptions } from '#records/record_service'
import { inTransaction } from '#records/transaction'

/** What of that which nodes approve stands in the record itself. */
const OWN_CONTENT = ['masterImageId', 'imageCommandArguments'] as const

const PROJECT = `select realm_id as "realmId", master_image_id as "masterImageId", exists (
    select 1 from project_nodes
    where project_id = p.id and node_realm_id::text = $2 and approval_status = 'approved'
  ) as "hasNodeOfActor"
  from projects p where id = $1`

/**
 * Analyses, as far as they are records: who may create and change them, the client they log in with, and the nodes they start
 * with, which are those that agreed to take part in the project.
 */
export class AnalysisService extends ClientOwnerService {
  protected override readonly clientPermissions = { names: ANALYSIS_CLIENT_PERMISSIONS }
  readonly #nodes: RecordService
  readonly #upkeep: AnalysisUpkeep

  constructor(kind: Kind, options: RecordServiceOptions) {
    super(kind, options)
    this.#nodes = new RecordService(analysisNode, options)
    this.#upkeep = new AnalysisUpkeep(options)
  }

  /** Holds the project before the analysis, as everybody does. */
  override async remove(origin: Origin, id: string): Promise<string> {
    enforce(this.kind.access.remove!, origin.actor)
    await this.requireRemovableClient(origin, id)
    const { data } = await inTransaction(this.pool, async (transaction) => {
      const analysis = isUuid(id) && (await this.#lockWithProject(transaction, id))
      if (!analysis) {
        throw new EntityNotFound(this.kind.label)
      }
      const { realmId } = analysis
      requireThat(origin.actor, holds('analysis_delete', analysis), mayWriteIn(realmId as string))
      return this.removeWithin(transaction, origin, id)
    })
    return data
  }

  protected override async prepareCreation({ actor }: Origin, body: Values): Promise<Values> {
    requireThat(actor, isKind('user'))
    const { rows } = await this.pool.query<ProjectOfAnalysis>(PROJECT, [
      body.projectId,
      actor.realmId,
    ])
    const project = rows[0] ?? goneMeanwhile()
    requireMember(actor, project)
    const masterImageId = body.masterImageId ?? project.masterImageId
    const values = {
      ...stored(body),
      name: body.name ?? generatedName(),
      masterImageId,
      configurationImageValid: masterImageId !== null,
      realmId: project.realmId,
      userId: actor.id,
    }
    requireThat(actor, holds('analysis_create', values))
    return values
  }

  protected override async inCreation(
    transaction: pg.ClientBase,
    _origin: Origin,
    values: Values
  ): Promise<Values> {
    if (!(await count(transaction, 'analyses', values.projectId as string, 1))) {
      return goneMeanwhile()
    }
    const nodes = await startingWith(transaction, values.projectId as string)
    return nodes.length === 0 ? values : { ...values, ...figuresOf(nodes) }
  }

  protected override async prepareUpdate(
    { actor }: Origin,
    previous: Values,
    body: Values
  ): Promise<Values> {
    requireThat(actor, holds('analysis_update', previous))
    const values = stored(body)
    requireChangeable(previous, values)
    return withImage(previous, values)
  }

  protected override async afterWrite(
    transaction: pg.ClientBase,
    origin: Origin,
    { type, previous, next }: WrittenChange
  ): Promise<void> {
    if (type === 'created') {
      const nodes = await startingWith(transaction, next!.projectId as string)
      await this.#assign(transaction, origin, next!, nodes)
    } else if (type === 'updated') {
      const changed = OWN_CONTENT.filter((name) => previous![name] !== next![name])
      await this.#upkeep.followContent(transaction, origin, next!.id as string, changed)
    } else if (type === 'deleted') {
      await count(transaction, 'analyses', previous!.projectId as string, -1)
      if (previous!.clientId !== null) {
        await clientTasks().removeLater(transaction, previous!.clientId as string)
      }
    }
  }

  async #assign(
    transaction: pg.ClientBase,
    origin: Origin,
    { id, realmId }: Values,
    nodes: readonly StartingNode[]
  ): Promise<void> {
    for (const { nodeId, nodeRealmId, approvalStatus } of nodes) {
      await this.#nodes.createWithin(transaction, origin, {
        analysisId: id,
        analysisRealmId: realmId,
        nodeId,
        nodeRealmId,
        approvalStatus,
      })
    }
  }

  async #lockWithProject(transaction: pg.ClientBase, id: string): Promise<Values | undefined> {
    await transaction.query(
      `select 1 from projects where id = (select project_id from analyses where id = $1)
       for no key update`,
      [id]
    )
    return this.store.lock(transaction, id)
  }
}

function goneMeanwhile(): never {
  throw new RelationInvalid('The body names a record that does not exist any more')
}
