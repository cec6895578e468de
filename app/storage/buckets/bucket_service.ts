import { inject } from '@adonisjs/core'
import type pg from 'pg'

import { StorageRecords } from '#storage/storage_records'
import { hasPermission, mayWriteIn, requireThat } from '#auth/verification/checks'
import type { Completion } from '#bus/consumer'
import { enforce } from '#kernel/access'
import type { BodyOf } from '#kernel/body'
import { EntityNotFound, ServiceUnavailable } from '#kernel/failures'
import { decode, type DecodedQuery, type Selection } from '#query/decode'
import type { ListRow } from '#query/sql/list_statement'
import type { Origin } from '#kernel/origin'
import { isUuid } from '#kernel/is_uuid'
import { realmFor } from '#kernel/realm'
import { RecordService } from '#records/record_service'
import type { RowValues, WrittenRecord } from '#records/record_store'
import { afterCommit, inTransaction } from '#records/transaction'
import type { Row } from '#records/row'
import { clock } from '#kernel/clock'
import { accessibleBuckets } from '#storage/access/accessible_rows'
import {
  requireAccess,
  requireChange,
  requireOwnAnalysis,
  requireOwnerOr,
} from '#storage/access/bucket_access'
import { bucket, bucketColumns, type Bucket, type BucketRow, type createBucket } from './bucket.js'
import {
  registerLocation,
  prepareLocation,
  restoreLocation,
} from '#storage/objects/bucket_locations'
import { recordBucketEvent, recordFileEvents, type CommandOrigin } from './storage_events.js'

import { AnalysisLocked, isLocked, requireNoLock } from '#storage/locks/bucket_locks'
import { removeAgreed } from '#storage/locks/removal_of_locked'
import { removeUnusedLocations, prepareRemoval } from './bucket_removal.js'

const BY_ID = `select ${bucketColumns('b')} from buckets b where b.id = $1`

/** Names are not unique; the oldest bucket wins. */
const BY_NAME = `select ${bucketColumns('b')} from buckets b
  where lower(b.name) = lower($1) and b.name = $1 order by b.created_at, b.id limit 1`

/** A bucket to create. */
type NewBucket = BodyOf<typeof createBucket> & { readonly id: string }

const FULL_SELECTION = decode(bucket.declaration, '', 'record').selection

/** Buckets, each with a location in the object store that is created before the bucket and removed after it. */
@inject()
export class BucketService extends RecordService<typeof Bucket> {
  constructor(records: StorageRecords) {
    super(bucket, records)
  }

  /** Finds a bucket by id or name. Throws if there is none. */
  async find(idOrName: string): Promise<BucketRow> {
    return isUuid(idOrName) ? this.#byId(idOrName) : this.#byName(idOrName)
  }

  override async idOf(named: string): Promise<string> {
    if (isUuid(named)) {
      return named
    }
    const { id } = await this.#byName(named)
    return id
  }

  override async list({ actor }: Origin, query: DecodedQuery): Promise<ListRow> {
    enforce(this.kind.access.read, actor)
    return this.store.list(query, { where: await accessibleBuckets(actor) })
  }

  override async read({ actor }: Origin, id: string, selection: Selection): Promise<string> {
    enforce(this.kind.access.read, actor)
    const record = await this.store.read(id, selection, { where: await accessibleBuckets(actor) })
    if (record === undefined) {
      await requireAccess(actor, await this.#byId(id))
      return (await this.store.read(id, selection, {})) ?? this.missing()
    }
    return record
  }

  override async create(origin: Origin, body: BodyOf<typeof createBucket>): Promise<string> {
    enforce(this.kind.access.create!, origin.actor)
    await this.requireRelations(body)
    const values = ownedBy(origin, { id: clock.uuid(), ...body })
    await requireOwnAnalysis(origin.actor, values)
    return withLocation(values, () =>
      inTransaction(this.pool, async (transaction) => {
        const { data } = await this.#insert(transaction, origin, values)
        return data
      })
    )
  }

  /** Buckets have no mutable attributes. A location that was lost is created again. */
  override async update({ actor }: Origin, idOrName: string): Promise<string> {
    enforce(this.kind.access.update!, actor)
    const row = await this.find(idOrName)
    await requireChange(actor, row)
    await restoreLocation(row.id, row.region)
    return (await this.store.read(row.id, FULL_SELECTION, {})) ?? this.missing()
  }

  override async remove(origin: Origin, idOrName: string): Promise<string> {
    enforce(this.kind.access.remove!, origin.actor)
    const row = await this.find(idOrName)
    await requireOwnerOr(origin.actor, row, 'bucket_delete')
    return removeAgreed({
      origin,
      bucketId: row.id,
      removal: { bucket: row.id },
      perform: (isAgreed) =>
        this.#removeLocked(origin, row.id, async (transaction) =>
          isAgreed ? undefined : requireNoLock(transaction, row.id)
        ),
    })
  }

  /** Removes a bucket of a deleted realm, even if an analysis of that realm has locked it. */
  removeWithRealm(origin: Origin, id: string): Promise<string> {
    enforce(this.kind.access.remove!, origin.actor)
    return this.#removeAsPlatform(origin, id)
  }

  /** Removes a bucket that core has removed from its analysis, even if it is locked. */
  removeForCore(origin: Origin, id: string): Promise<string> {
    enforce(this.kind.access.remove!, origin.actor)
    return this.#removeAsPlatform(origin, id)
  }

  /**
   * Creates the location of a bucket for a command. The returned conclusion creates the bucket unless it exists.
   */
  async createForCommand(origin: CommandOrigin, newBucket: NewBucket): Promise<Completion> {
    const { id } = newBucket
    await inTransaction(this.pool, async (transaction) => {
      if (await registerLocation(transaction, id)) {
        await recordBucketEvent(transaction, origin, 'creationStarted', newBucket)
      }
    })
    const values = ownedBy(origin, newBucket)
    return withLocation(values, async () => async (transaction) => {
      const existing = await this.store.lock(transaction, id)
      await (existing
        ? recordBucketEvent(transaction, origin, 'creationFinished', existing)
        : this.#insert(transaction, origin, values))
    })
  }

  /** Removes a bucket for a command. */
  async removeForCommand(transaction: pg.ClientBase, origin: CommandOrigin, id: string) {
    const existing = await this.store.lock(transaction, id)
    if (!existing || (await isLocked(transaction, existing.id))) {
      const refusal = existing ? new AnalysisLocked() : new EntityNotFound(this.kind.label)
      return recordBucketEvent(transaction, origin, 'deletionFailed', {
        id,
        error: refusal.message,
      })
    }
    await recordBucketEvent(transaction, origin, 'deletionStarted', { id: existing.id })
    const removeObjects = await prepareRemoval(transaction, existing.id)
    await this.#remove(transaction, origin, existing)
    afterCommit(transaction, () => void removeObjects())
  }

  #removeAsPlatform(origin: Origin, id: string): Promise<string> {
    return this.#removeLocked(origin, id, async (_, previous) =>
      requireThat(origin.actor, hasPermission('bucket_delete'), mayWriteIn(previous.realmId))
    )
  }

  /** Locks the row and removes the bucket unless `check` throws; removes its objects after the commit. */
  async #removeLocked(
    origin: Origin,
    id: string,
    check: (transaction: pg.ClientBase, previous: Row<typeof Bucket>) => Promise<void>
  ): Promise<string> {
    const { removed, removeObjects } = await inTransaction(this.pool, async (transaction) => {
      const previous = await this.lock(transaction, id)
      await check(transaction, previous)
      const onCommit = await prepareRemoval(transaction, id)
      return {
        removed: await this.#remove(transaction, origin, previous),
        removeObjects: onCommit,
      }
    })
    await removeObjects()
    return removed.data
  }

  async #insert(
    transaction: pg.ClientBase,
    origin: Origin,
    values: RowValues<typeof Bucket>
  ): Promise<WrittenRecord<typeof Bucket>> {
    const written = await this.insert(transaction, origin, values)
    await recordBucketEvent(transaction, origin, 'creationFinished', written.values)
    return written
  }

  /** Removes a bucket with its files. Events of storage are published before those of records. */
  async #remove(
    transaction: pg.ClientBase,
    origin: Origin,
    previous: Row<typeof Bucket>
  ): Promise<WrittenRecord<typeof Bucket>> {
    for await (const files of this.removeDependents(transaction, previous)) {
      await recordFileEvents(transaction, origin, 'deletionFinished', files.records)
      await this.recordDeletions(transaction, origin, files)
    }
    const removed = await this.removeRow(transaction, origin, previous)
    await recordBucketEvent(transaction, origin, 'deletionFinished', previous)
    await removed.recordEvent()
    return removed
  }

  async #byId(id: string): Promise<BucketRow> {
    const row = isUuid(id) ? await this.#one(BY_ID, id) : undefined
    return row ?? this.missing()
  }

  async #byName(name: string): Promise<BucketRow> {
    const isPossible = !name.includes('\0')
    return (isPossible ? await this.#one(BY_NAME, name) : undefined) ?? this.missing()
  }

  async #one(text: string, value: string): Promise<BucketRow | undefined> {
    const { rows } = await this.pool.query<BucketRow>(text, [value])
    return rows[0]
  }
}

/** A new bucket belongs to the actor and to a realm in which the actor may write. */
function ownedBy({ actor }: Origin, body: NewBucket) {
  const realmId = realmFor(actor, body.realmId)
  return { ...body, realmId, actorType: actor.kind, actorId: actor.id }
}

/** Creates the location before the bucket. If the store is unavailable, the sweep cleans up. */
async function withLocation<T>({ id, region }: NewBucket, work: () => Promise<T>): Promise<T> {
  try {
    await prepareLocation(id, region)
    return await work()
  } catch (error) {
    const isUnavailable = error instanceof ServiceUnavailable
    await (isUnavailable ? undefined : removeUnusedLocations(id))
    throw error
  }
}
