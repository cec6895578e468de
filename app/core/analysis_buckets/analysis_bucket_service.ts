import app from '@adonisjs/core/services/app'
import type pg from 'pg'

import { AnalysisPartService } from '#core/analyses/analysis_part_service'
import { enforce } from '#kernel/access'
import { BadRequest, EntityNotFound } from '#kernel/failures'
import { issue } from '#kernel/issues'
import type { Origin } from '#kernel/origin'
import type { Values } from '#records/kind'
import { requireRealm } from '#kernel/realm'
import type { WrittenChange } from '#records/record_change'

/**
 * The buckets of analyses, which belong to the realm of their analysis.
 */
export class AnalysisBucketService extends AnalysisPartService {
  override async remove(origin: Origin, id: string): Promise<string> {
    enforce(this.kind.access.remove!, origin.actor)
    return this.change(id, async (transaction, { part }) => {
      requireRealm(origin.actor, part.realmId as string)
      return this.removeWithin(transaction, origin, id)
    })
  }

  protected override async prepareCreation({ actor }: Origin, body: Values): Promise<Values> {
    const { rows } = await this.pool.query<{ realmId: string }>(
      'select realm_id as "realmId" from analyses where id = $1',
      [body.analysisId]
    )
    if (!rows[0]) {
      throw new EntityNotFound('analysis')
    }
    const { realmId } = rows[0]
    requireRealm(actor, realmId)
    await requireBucketOf(realmId, body.bucketId as string)
    return { ...body, realmId }
  }

  protected override async inCreation(
    transaction: pg.ClientBase,
    _origin: Origin,
    values: Values
  ): Promise<Values> {
    await this.lockAnalysis(transaction, values.analysisId)
    return values
  }

  /** The files of a bucket go with it. */
  protected override async afterWrite(
    transaction: pg.ClientBase,
    origin: Origin,
    { type, previous }: WrittenChange
  ): Promise<void> {
    if (type === 'deleted' && previous!.type === 'CODE') {
      const id = previous!.analysisId as string
      await this.upkeep.followRemoval(transaction, origin, id, 'files')
      await this.upkeep.followFiles(transaction, origin, id)
      await this.upkeep.followContent(transaction, origin, id, ['files', 'entrypoint'])
    }
  }
}

/** A bucket that storage does not know yet is still to be made, for whoever says so in its realm. */
async function requireBucketOf(realmId: string, bucketId: string): Promise<void> {
  const realmOfBucket = await app.container.make('bucketRealms')
  const bucketRealm = await realmOfBucket(bucketId)
  if (bucketRealm !== undefined && bucketRealm !== realmId) {
    const message = 'The bucket does not belong to the realm of the analysis: name one that does'
    throw new BadRequest(message, { issues: [issue('value_invalid', ['bucketId'], message)] })
  }
}
