import type pg from 'pg'

import type { Completion } from '#bus/consumer'
import { enforce } from '#kernel/access'
import type { BodyOf } from '#kernel/body'
import { EntityNotFound, ServiceUnavailable } from '#kernel/failures'
import { decode, type DecodedQuery, type Selection } from '#query/decode'
import type { ListRow } from '#query/sql/list_statement'
import type { Origin } from '#kernel/origin'
import { isUuid } from '#kernel/is_uuid'
import { realmFor } from '#kernel/realm'
import { RecordService, type RecordServiceOptions } from '#records/record_service'
import type { RowValues, WrittenRecord } from '#records/record_store'
import { afterCommit, inTransaction } from '#records/transaction'
import type { Row } from '#records/row'
import { clock } from '#kernel/clock'
import { reachableBuckets, requireOwnerOr, requireReach } from '#storage/access/access'
import { bucket, bucketColumns, type Bucket, type BucketRow, type createBucket } from './bucket.js'
import { announcePlace, preparePlace, restorePlace } from '#storage/objects/places'
import { tellOfBucket, tellOfFiles, type CommandedOrigin } from './storage_events.js'

import { AnalysisLocked, isLocked, requireNoLock } from '#storage/locks/bucket_locks'
import { giveBack, prepareRemoval } from './bucket_removal.js'

const BY_ID = `select ${bucketColumns('b')} from buckets b where b.id = $1`

/** Names are not unique; the oldest one has it. */
const BY_NAME = `select ${bucketColumns('b')} from buckets b
  where lower(b.name) = lower($1) and b.name = $1 order by b.created_at, b.id limit 1`

/** A bucket that is about to be made. */
type NewBucket = BodyOf<typeof createBucket> & { readonly id: string }

const EVERYTHING = decode(bucket.declaration, '', 'record').selection

/**
 * Buckets, each with a place in the object store. The place is made before the bucket and given up after it.
 */
export class BucketService extends RecordService<typeof Bucket> {
  constructor(options: RecordServiceOptions) {
    super(bucket, options)
  }

  /** A bucket by its id or, where that is none, by its name. Throws where there is none. */
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
    return this.store.list(query, { where: await reachableBuckets(actor) })
  }

  override async read({ actor }: Origin, id: string, selection: Selection): Promise<string> {
    enforce(this.kind.access.read, actor)
    const record = await this.store.read(id, selection, { where: await reachableBuckets(actor) })
    if (record === undefined) {
      await requireReach(actor, await this.#byId(id))
      return this.missing()
    }
    return record
  }

  override async create(origin: Origin, body: BodyOf<typeof createBucket>): Promise<string> {
    enforce(this.kind.access.create!, origin.actor)
    await this.requireRelations(body)
    const values = ownedBy(origin, { id: clock.uuid(), ...body })
    return inPlace(values, () =>
      inTransaction(this.pool, async (transaction) => {
        const { data } = await this.#insert(transaction, origin, values)
        return data
      })
    )
  }

  /** No attribute of a bucket changes; a place that its objects have lost is made again. */
  override async update({ actor }: Origin, idOrName: string): Promise<string> {
    enforce(this.kind.access.update!, actor)
    const found = await this.find(idOrName)
    requireOwnerOr(actor, found, 'bucket_update')
    await restorePlace(found.id, found.region)
    return (await this.store.read(found.id, EVERYTHING, {})) ?? this.missing()
  }

  override async remove(origin: Origin, idOrName: string): Promise<string> {
    enforce(this.kind.access.remove!, origin.actor)
    const { id } = await this.find(idOrName)
    return this.#removeLocked(origin, id, async (transaction, previous) => {
      requireOwnerOr(origin.actor, previous, 'bucket_delete')
      await requireNoLock(transaction, id)
    })
  }

  /** Removes a bucket whose realm is gone, and with that the analysis that may have locked it. */
  async removeWithRealm(origin: Origin, id: string): Promise<string> {
    enforce(this.kind.access.remove!, origin.actor)
    return this.#removeLocked(origin, id, async (_, previous) =>
      requireOwnerOr(origin.actor, previous, 'bucket_delete')
    )
  }

  /** Makes the place of a bucket that a command asks for; what is answered makes the bucket itself, where it is not there yet. */
  async createCommanded(origin: CommandedOrigin, wanted: NewBucket): Promise<Completion> {
    const { id } = wanted
    await inTransaction(this.pool, async (transaction) => {
      if (await announcePlace(transaction, id)) {
        await tellOfBucket(transaction, origin, 'creationStarted', wanted)
      }
    })
    const values = ownedBy(origin, wanted)
    return inPlace(values, async () => async (transaction) => {
      const known = await this.store.lock(transaction, id)
      await (known
        ? tellOfBucket(transaction, origin, 'creationFinished', known)
        : this.#insert(transaction, origin, values))
    })
  }

  /** Removes a bucket because a command asks for it. */
  async removeCommanded(transaction: pg.ClientBase, origin: CommandedOrigin, id: string) {
    const known = await this.store.lock(transaction, id)
    if (!known || (await isLocked(transaction, known.id))) {
      const refusal = known ? new AnalysisLocked() : new EntityNotFound(this.kind.label)
      return tellOfBucket(transaction, origin, 'deletionFailed', { id, error: refusal.message })
    }
    await tellOfBucket(transaction, origin, 'deletionStarted', { id: known.id })
    const leave = await prepareRemoval(transaction, known.id)
    await this.#remove(transaction, origin, known)
    afterCommit(transaction, () => void leave())
  }

  /** Locks the row, and removes the bucket unless `check` throws; its objects go after the commit. */
  async #removeLocked(
    origin: Origin,
    id: string,
    check: (transaction: pg.ClientBase, previous: Row<typeof Bucket>) => Promise<void>
  ): Promise<string> {
    const { removed, leave } = await inTransaction(this.pool, async (transaction) => {
      const previous = await this.lock(transaction, id)
      await check(transaction, previous)
      const departure = await prepareRemoval(transaction, id)
      return { removed: await this.#remove(transaction, origin, previous), leave: departure }
    })
    await leave()
    return removed.data
  }

  async #insert(
    transaction: pg.ClientBase,
    origin: Origin,
    values: RowValues<typeof Bucket>
  ): Promise<WrittenRecord<typeof Bucket>> {
    const written = await this.insert(transaction, origin, values)
    await tellOfBucket(transaction, origin, 'creationFinished', written.values)
    return written
  }

  /** Only files are part of a bucket. Listeners of storage are told before those of records. */
  async #remove(
    transaction: pg.ClientBase,
    origin: Origin,
    previous: Row<typeof Bucket>
  ): Promise<WrittenRecord<typeof Bucket>> {
    for await (const files of this.removeDependents(transaction, previous)) {
      await tellOfFiles(transaction, origin, 'deletionFinished', files.records)
      await this.recordDeletions(transaction, origin, files)
    }
    const removed = await this.removeRow(transaction, origin, previous)
    await tellOfBucket(transaction, origin, 'deletionFinished', previous)
    await removed.recordEvent()
    return removed
  }

  async #byId(id: string): Promise<BucketRow> {
    const found = isUuid(id) ? await this.#one(BY_ID, id) : undefined
    return found ?? this.missing()
  }

  async #byName(name: string): Promise<BucketRow> {
    const canBeOne = !name.includes('\0')
    return (canBeOne ? await this.#one(BY_NAME, name) : undefined) ?? this.missing()
  }

  async #one(text: string, value: string): Promise<BucketRow | undefined> {
    const { rows } = await this.pool.query<BucketRow>(text, [value])
    return rows[0]
  }
}

/** A new bucket belongs to a realm the actor may write in, and to the actor. */
function ownedBy({ actor }: Origin, body: NewBucket) {
  const realmId = realmFor(actor, body.realmId)
  return { ...body, realmId, actorType: actor.kind, actorId: actor.id }
}

/** Makes the place of a bucket before it. What is away now is not there to be cleaned up either; that is left to the sweep. */
async function inPlace<T>({ id, region }: NewBucket, work: () => Promise<T>): Promise<T> {
  try {
    await preparePlace(id, region)
    return await work()
  } catch (error) {
    const isAway = error instanceof ServiceUnavailable
    await (isAway ? undefined : giveBack(id))
    throw error
  }
}
