import { inject } from '@adonisjs/core'
import type pg from 'pg'

import { CoreRecords } from '#core/core_records'
import { generateName } from '#core/names/generate_name'
import { enforce } from '#kernel/access'
import type { BodyOf } from '#kernel/body'
import { BadRequest } from '#kernel/failures'
import type { Origin } from '#kernel/origin'
import { owningRealmFor } from '#kernel/realm'
import { RecordService } from '#records/record_service'
import { inTransaction } from '#records/transaction'

import { project, type createProject, type Project } from './project.js'

/** Projects belong to the realm of their creator, and cannot be deleted while they have analyses. */
@inject()
export class ProjectService extends RecordService<typeof Project> {
  constructor(records: CoreRecords) {
    super(project, records)
  }

  override async create(origin: Origin, body: BodyOf<typeof createProject>): Promise<string> {
    const { actor } = origin
    enforce(this.kind.access.create!, actor)
    await this.requireRelations(body)
    const realmId = owningRealmFor(actor)
    const name = body.name ?? generateName()
    const values = { ...body, realmId, name, [`${actor.kind}Id`]: actor.id }
    const { data } = await inTransaction(this.pool, (transaction) =>
      this.insert(transaction, origin, values)
    )
    return data
  }

  /** Locks the project, so that no analysis or node is added meanwhile. */
  override async remove(origin: Origin, id: string): Promise<string> {
    enforce(this.kind.access.remove!, origin.actor)
    const { data } = await inTransaction(this.pool, async (transaction) => {
      const previous = await this.lockWritable(origin, transaction, id)
      await requireNoAnalyses(transaction, previous.id)
      return this.removeRecord(transaction, origin, previous)
    })
    return data
  }

  /** Removes the reference to a deleted user; the project itself stays. */
  async detachUser(origin: Origin, id: string): Promise<void> {
    await inTransaction(this.pool, (transaction) =>
      this.updateById(transaction, origin, id, { userId: null })
    )
  }
}

async function requireNoAnalyses(transaction: pg.ClientBase, projectId: string): Promise<void> {
  const { rowCount } = await transaction.query(
    'select 1 from analyses where project_id = $1 limit 1',
    [projectId]
  )
  if (rowCount! > 0) {
    throw new BadRequest('The project has analyses: delete them first')
  }
}
