import { inject } from '@adonisjs/core'
import type pg from 'pg'

import { CoreRecords } from '#core/core_records'
import type { Analysis } from '#core/analyses/analysis'
import { AnalysisPartService, type LockedPart } from '#core/analyses/analysis_part_service'
import { AnalysisUpkeep } from '#core/analyses/analysis_upkeep'
import { requireUnlocked } from '#core/analyses/configuration_lock'
import { requireRemovable } from '#core/analyses/removable_code'
import { isRemovalScheduled, scheduleRemoval } from '#core/code_locks/code_removals'
import {
  analysisBucket,
  BUCKET_TYPES,
  type AnalysisBucket,
  type BucketType,
  type createAnalysisBucket,
} from './analysis_bucket.js'
import { BucketRealms } from './bucket_realms.js'
import {
  findFulfilled,
  deleteRequests,
  deleteBuckets,
  type FulfilledRequest,
  type BucketRequest,
} from './bucket_requests.js'
import { requireNoNode } from '#core/nodes/client_of_node'
import { enforce } from '#kernel/access'
import type { BodyOf } from '#kernel/body'
import { BadRequest, EntityNotFound } from '#kernel/failures'
import { issue } from '#kernel/issues'
import type { Origin } from '#kernel/origin'
import { requireRealm } from '#kernel/realm'
import type { WrittenRecord } from '#records/record_store'
import type { Row } from '#records/row'
import { inTransaction } from '#records/transaction'
import { statement } from '#query/sql/statement'

/** A bucket that storage created on request. */
export interface CreatedBucket extends BucketRequest {
  readonly bucketId: string
}

/** The buckets of analyses, which belong to the realm of their analysis. */
@inject()
export class AnalysisBucketService extends AnalysisPartService<typeof AnalysisBucket> {
  readonly #bucketRealms: BucketRealms

  constructor(records: CoreRecords, upkeep: AnalysisUpkeep, bucketRealms: BucketRealms) {
    super(analysisBucket, records, upkeep)
    this.#bucketRealms = bucketRealms
  }

  override async create(
    origin: Origin,
    body: BodyOf<typeof createAnalysisBucket>
  ): Promise<string> {
    enforce(this.kind.access.create!, origin.actor)
    await requireNoNode(this.pool, origin.actor)
    await this.requireRelations(body)
    const realmId = await this.#findRealm(body.analysisId)
    requireRealm(origin.actor, realmId)
    await this.#requireBucketOf(realmId, body.bucketId)
    const { data } = await inTransaction(this.pool, async (transaction) => {
      const analysis = await this.lockAnalysis(transaction, body.analysisId)
      if (body.type === 'CODE') {
        requireUnlocked(analysis)
      }
      return this.insert(transaction, origin, { ...body, realmId })
    })
    return data
  }

  /** Also removes the files of the bucket. */
  override async remove(origin: Origin, id: string): Promise<string> {
    enforce(this.kind.access.remove!, origin.actor)
    await requireNoNode(this.pool, origin.actor)
    return this.withLockedPart(id, async (transaction, locked) => {
      requireRealm(origin.actor, locked.part.realmId)
      return this.#removeForCaller(transaction, origin, locked)
    })
  }

  /**
   * Removes the records of a bucket that storage is about to delete for this caller, who may: storage has checked it.
   * Throws while one of its analyses is being built or distributed.
   */
  async removeBeforeStorage(origin: Origin, bucketId: string): Promise<void> {
    await inTransaction(this.pool, async (transaction) => {
      for await (const locked of this.lockPartsWith(transaction, 'bucketId', bucketId)) {
        await this.#removeForCaller(transaction, origin, locked)
      }
    })
  }

  /**
   * Adds the buckets that storage created for an analysis, once all missing ones exist, so that they become visible
   * together. Requests the deletion of unneeded ones.
   */
  async addCreated(transaction: pg.ClientBase, origin: Origin, analysisId: string): Promise<void> {
    const analysis = await this.upkeep.lock(transaction, analysisId)
    const missingTypes = analysis ? await this.#findMissingTypes(transaction, analysis) : []
    const created = await findFulfilled(transaction, analysisId)
    const needed = missingTypes.flatMap((type) => created.find((one) => one.type === type) ?? [])
    if (analysis && needed.length === missingTypes.length) {
      for (const { type, bucketId } of needed) {
        await this.#insertBuiltIn(transaction, origin, analysis, { type, bucketId })
      }
      await deleteRequests(transaction, bucketIdsOf(needed))
    }
    const unneeded = bucketIdsOf(created.filter((one) => !needed.includes(one)))
    await deleteRequests(transaction, unneeded)
    await deleteBuckets(transaction, await this.#findUnassigned(transaction, unneeded))
  }

  /**
   * Adds a bucket if its analysis lacks one of the type. Returns whether an analysis has the bucket now, or storage is
   * about to delete it.
   */
  async addIfMissing(
    transaction: pg.ClientBase,
    origin: Origin,
    { analysisId, type, bucketId }: CreatedBucket
  ): Promise<boolean> {
    const analysis = await this.upkeep.lock(transaction, analysisId)
    if (await isRemovalScheduled(transaction, { bucket: bucketId })) {
      return true
    }
    const missingTypes = analysis ? await this.#findMissingTypes(transaction, analysis) : []
    if (analysis && missingTypes.includes(type)) {
      await this.#insertBuiltIn(transaction, origin, analysis, { type, bucketId })
      return true
    }
    const missing = await this.#findUnassigned(transaction, [bucketId])
    return missing.length === 0
  }

  /** Removes the records of a bucket that storage deleted. */
  async removeDeleted(transaction: pg.ClientBase, origin: Origin, bucketId: string): Promise<void> {
    await deleteRequests(transaction, [bucketId])
    for await (const { part } of this.lockPartsWith(transaction, 'bucketId', bucketId)) {
      await this.#removeBucket(transaction, origin, part)
    }
  }

  /** A bucket that the platform created goes at storage, too; a bucket that a caller added stays with its owner. */
  async #removeForCaller(
    transaction: pg.ClientBase,
    origin: Origin,
    { analysis, part }: LockedPart<typeof AnalysisBucket>
  ): Promise<WrittenRecord<typeof AnalysisBucket>> {
    if (part.type === 'CODE') {
      requireRemovable(analysis)
    }
    const removed = await this.#removeBucket(transaction, origin, part)
    if (part.builtIn) {
      await scheduleRemoval(transaction, this.pool, { bucket: part.bucketId })
    }
    return removed
  }

  async #removeBucket(
    transaction: pg.ClientBase,
    origin: Origin,
    part: Row<typeof AnalysisBucket>
  ): Promise<WrittenRecord<typeof AnalysisBucket>> {
    const { analysisId, type } = part
    const removed = await this.removeWithPendingEvent(transaction, origin, part)
    if (type === 'CODE') {
      await this.upkeep.withdrawApprovalsAfterRemoval(transaction, origin, analysisId, 'files')
      await this.upkeep.refreshEntrypoint(transaction, origin, analysisId)
      await this.upkeep.withdrawOutdatedApprovals(transaction, origin, analysisId, [
        'files',
        'entrypoint',
      ])
    }
    await removed.recordEvent()
    return removed
  }

  /** The types of built-in buckets that an analysis lacks. */
  async #findMissingTypes(
    transaction: pg.ClientBase,
    { id, configurationLocked }: Row<typeof Analysis>
  ): Promise<BucketType[]> {
    const { rows } = await transaction.query<{ type: BucketType }>(
      statement('select type from analysis_buckets where analysis_id = $1 and built_in', [id])
    )
    const present = new Set(rows.map(({ type }) => type))
    return BUCKET_TYPES.filter(
      (type) => !present.has(type) && !(type === 'CODE' && configurationLocked)
    )
  }

  /** A caller may have added the bucket before. */
  async #insertBuiltIn(
    transaction: pg.ClientBase,
    origin: Origin,
    { id: analysisId, realmId }: Row<typeof Analysis>,
    { type, bucketId }: Pick<CreatedBucket, 'type' | 'bucketId'>
  ): Promise<void> {
    const values = { type, bucketId, analysisId, realmId, builtIn: true }
    const existing = await this.findExisting(transaction, values, ['bucketId', 'analysisId'])
    if (existing === undefined) {
      await this.insert(transaction, origin, values)
    } else {
      const mark = 'update analysis_buckets set built_in = true where id = $1 and type = $2'
      await transaction.query(mark, [existing, type])
    }
  }

  async #findUnassigned(
    transaction: pg.ClientBase,
    bucketIds: readonly string[]
  ): Promise<string[]> {
    const { rows } = await transaction.query<{ id: string }>(
      statement('select bucket_id as id from analysis_buckets where bucket_id = any($1)', [
        bucketIds,
      ])
    )
    const assigned = new Set(rows.map(({ id }) => id))
    return bucketIds.filter((id) => !assigned.has(id))
  }

  async #findRealm(analysisId: string): Promise<string> {
    const { rows } = await this.pool.query<{ realmId: string }>(
      'select realm_id as "realmId" from analyses where id = $1',
      [analysisId]
    )
    if (!rows[0]) {
      throw new EntityNotFound('analysis')
    }
    return rows[0].realmId
  }

  /** A bucket that storage does not know yet is accepted: it may be created later, in the realm of the caller. */
  async #requireBucketOf(realmId: string, bucketId: string): Promise<void> {
    const bucketRealm = await this.#bucketRealms.find(bucketId)
    if (bucketRealm !== undefined && bucketRealm !== realmId) {
      const message = 'The bucket does not belong to the realm of the analysis: name one that does'
      throw new BadRequest(message, { issues: [issue('value_invalid', ['bucketId'], message)] })
    }
  }
}

const bucketIdsOf = (requests: readonly FulfilledRequest[]) =>
  requests.map(({ bucketId }) => bucketId)
