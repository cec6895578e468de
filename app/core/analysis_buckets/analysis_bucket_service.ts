import app from '@adonisjs/core/services/app'
import type pg from 'pg'

import { AnalysisPartService } from '#core/analyses/analysis_part_service'
import type { AnalysisUpkeep } from '#core/analyses/analysis_upkeep'
import { requireUnlocked } from '#core/analyses/configuration_lock'
import {
  analysisBucket,
  type AnalysisBucket,
  type createAnalysisBucket,
} from './analysis_bucket.js'
import { giveBackBuckets, type BucketRequest } from './requested_buckets.js'
import { enforce } from '#kernel/access'
import type { BodyOf } from '#kernel/body'
import { BadRequest, EntityNotFound } from '#kernel/failures'
import { issue } from '#kernel/issues'
import type { Origin } from '#kernel/origin'
import { requireRealm } from '#kernel/realm'
import type { RecordServiceOptions } from '#records/record_service'
import type { Written } from '#records/record_store'
import type { Row } from '#records/row'
import { inTransaction } from '#records/transaction'

/** A bucket that storage made because it was asked to. */
export interface MadeBucket extends BucketRequest {
  readonly bucketId: string
}

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
      const analysis = await this.lockAnalysis(transaction, body.analysisId)
      if (body.type === 'CODE') {
        requireUnlocked(analysis)
      }
      return this.insert(transaction, origin, { ...body, realmId })
    })
    return data
  }

  /** The files of a bucket go with it. */
  override async remove(origin: Origin, id: string): Promise<string> {
    enforce(this.kind.access.remove!, origin.actor)
    return this.holdingPart(id, async (transaction, { part }) => {
      requireRealm(origin.actor, part.realmId)
      return this.#takeOut(transaction, origin, part)
    })
  }

  /** Enters the bucket that storage made. One that is not needed any more is given back. */
  async enterMade(transaction: pg.ClientBase, origin: Origin, made: MadeBucket): Promise<void> {
    if (!(await this.enterWanted(transaction, origin, made))) {
      await giveBackBuckets(transaction, [made.bucketId])
    }
  }

  /** Enters a bucket unless its analysis is gone, or has another one for that; answers whether it stands there now. */
  async enterWanted(
    transaction: pg.ClientBase,
    origin: Origin,
    made: MadeBucket
  ): Promise<boolean> {
    const { analysisId, type, bucketId } = made
    const analysis = await this.upkeep.lock(transaction, analysisId)
    const known = await this.#bucketIdOf(transaction, made)
    if (!analysis || known !== undefined) {
      return known === bucketId
    }
    const { realmId } = analysis
    await this.insert(transaction, origin, { type, bucketId, analysisId, realmId })
    return true
  }

  /** Removes what stands for a bucket that storage deleted. */
  async removeDeleted(transaction: pg.ClientBase, origin: Origin, bucketId: string): Promise<void> {
    for await (const part of this.heldWith(transaction, 'bucketId', bucketId)) {
      await this.#takeOut(transaction, origin, part)
    }
  }

  async #takeOut(
    transaction: pg.ClientBase,
    origin: Origin,
    part: Row<typeof AnalysisBucket>
  ): Promise<Written<typeof AnalysisBucket>> {
    const { analysisId, type } = part
    const removed = await this.removeUntold(transaction, origin, part)
    if (type === 'CODE') {
      await this.upkeep.followRemoval(transaction, origin, analysisId, 'files')
      await this.upkeep.followFiles(transaction, origin, analysisId)
      await this.upkeep.followContent(transaction, origin, analysisId, ['files', 'entrypoint'])
    }
    await removed.tell()
    return removed
  }

  async #bucketIdOf(
    transaction: pg.ClientBase,
    { analysisId, type }: BucketRequest
  ): Promise<string | undefined> {
    const { rows } = await transaction.query<{ bucketId: string }>(
      'select bucket_id as "bucketId" from analysis_buckets where analysis_id = $1 and type = $2',
      [analysisId, type]
    )
    return rows[0]?.bucketId
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

/** A bucket that storage does not know yet is still to be made, for a caller that says so in its realm. */
async function requireBucketOf(realmId: string, bucketId: string): Promise<void> {
  const realmOfBucket = await app.container.make('bucketRealms')
  const bucketRealm = await realmOfBucket(bucketId)
  if (bucketRealm !== undefined && bucketRealm !== realmId) {
    const message = 'The bucket does not belong to the realm of the analysis: name one that does'
    throw new BadRequest(message, { issues: [issue('value_invalid', ['bucketId'], message)] })
  }
}
