import app from '@adonisjs/core/services/app'

import { AnalysisPartService } from '#core/analyses/analysis_part_service'
import type { AnalysisUpkeep } from '#core/analyses/analysis_upkeep'
import {
  analysisBucket,
  type AnalysisBucket,
  type createAnalysisBucket,
} from './analysis_bucket.js'
import { enforce } from '#kernel/access'
import type { BodyOf } from '#kernel/body'
import { BadRequest, EntityNotFound } from '#kernel/failures'
import { issue } from '#kernel/issues'
import type { Origin } from '#kernel/origin'
import { requireRealm } from '#kernel/realm'
import type { RecordServiceOptions } from '#records/record_service'
import { inTransaction } from '#records/transaction'

/**
 * The buckets of analyses, which belong to the realm of their analysis.
 */
export class AnalysisBucketService extends AnalysisPartService<typeof AnalysisBucket> {
  constructor(options: RecordServiceOptions, upkeep: AnalysisUpkeep) {
    super(analysisBucket, options, upkeep)
  }

  override async create(
    origin: Origin,
    body: BodyOf<typeof createAnalysisBucket>
  ): Promise<string> {
    enforce(this.kind.access.create!, origin.actor)
    await this.requireRelations(body)
    const realmId = await this.#realmOf(body.analysisId)
    requireRealm(origin.actor, realmId)
    await requireBucketOf(realmId, body.bucketId)
    const { data } = await inTransaction(this.pool, async (transaction) => {
      await this.lockAnalysis(transaction, body.analysisId)
      return this.insert(transaction, origin, { ...body, realmId })
    })
    return data
  }

  /** The files of a bucket go with it. */
  override async remove(origin: Origin, id: string): Promise<string> {
    enforce(this.kind.access.remove!, origin.actor)
    return this.holdingPart(id, async (transaction, { part }) => {
      requireRealm(origin.actor, part.realmId)
      const removed = await this.removeUntold(transaction, origin, part)
      if (part.type === 'CODE') {
        const { analysisId } = part
        await this.upkeep.followRemoval(transaction, origin, analysisId, 'files')
        await this.upkeep.followFiles(transaction, origin, analysisId)
        await this.upkeep.followContent(transaction, origin, analysisId, ['files', 'entrypoint'])
      }
      await removed.tell()
      return removed
    })
  }

  async #realmOf(analysisId: string): Promise<string> {
    const { rows } = await this.pool.query<{ realmId: string }>(
      'select realm_id as "realmId" from analyses where id = $1',
      [analysisId]
    )
    if (!rows[0]) {
      throw new EntityNotFound('analysis')
    }
    return rows[0].realmId
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
