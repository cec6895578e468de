import type pg from 'pg'

import { generatedName } from '#core/names/generated_name'
import { BadRequest } from '#kernel/failures'
import type { Origin } from '#kernel/origin'
import type { Values } from '#records/kind'
import { RecordService } from '#records/record_service'

/**
 * Projects belong to the realm of who creates them, and are not deleted while they hold analyses.
 */
export class ProjectService extends RecordService {
  protected override async prepareCreation(origin: Origin, body: Values): Promise<Values> {
    const values = await super.prepareCreation(origin, body)
    const { actor } = origin
    return { ...values, name: body.name ?? generatedName(), [`${actor.kind}Id`]: actor.id }
  }

  /** The project is locked, so that no analysis and no node can come meanwhile. */
  protected override async inRemoval(
    transaction: pg.ClientBase,
    _origin: Origin,
    { id }: Values
  ): Promise<void> {
    await requireNoAnalyses(transaction, id as string)
  }
}

async function requireNoAnalyses(transaction: pg.ClientBase, projectId: string): Promise<void> {
  const { rowCount } = await transaction.query(
    'select 1 from analyses where project_id = $1 limit 1',
    [projectId]
  )
  if (rowCount! > 0) {
    throw new BadRequest('The project holds analyses; delete those first')
  }
}
