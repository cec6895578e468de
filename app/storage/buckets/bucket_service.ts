import type pg from 'pg'

import type { Conclusion } from '#bus/consumer'
import { enforce } from '#kernel/access'
import { EntityNotFound, ServiceUnavailable } from '#kernel/failures'
import { decode, type DecodedQuery, type Selection } from '#query/decode'
import type { ListRow } from '#query/sql/list_statement'
import type { Origin } from '#kernel/origin'
import { isUuid } from '#kernel/is_uuid'
import type { Kind, Values } from '#records/kind'
import type { WrittenChange } from '#records/record_change'
import { RecordService } from '#records/record_service'
import { afterCommit, inTransaction } from '#records/transaction'
import {
  reachableBuckets,
  requireOwnerOr,
  requireReach,
  type Reached,
} from '#storage/access/access'
import { bucket, bucketColumns, type BucketRow } from '#storage/buckets/bucket'
import { announcePlace, preparePlace, restorePlace } from '#storage/objects/places'
import { tellOfBucket, tellOfFiles, type CommandedOrigin } from '#storage/buckets/storage_events'

import { giveBack, prepareRemoval } from './bucket_removal.js'

const BY_ID = `select ${bucketColumns('b')} from buckets b where b.id = $1`

/** Names are not unique; the oldest one has it. */
const BY_NAME = `select ${bucketColumns('b')} from buckets b
  where lower(b.name) = lower($1) and b.name = $1 order by b.created_at, b.id limit 1`

const EVERYTHING = decode(bucket.declaration, '', 'record').selection

/**
 * Buckets, each with a place in the object store. The place is made before the bucket and given up after it.
 */
export class BucketService extends RecordService {
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
      return this.#gone()
    }
    return record
  }

  /** No attribute of a bucket changes; a place that its objects have lost is made again. */
  override async update({ actor }: Origin, idOrName: string): Promise<string> {
    enforce(this.kind.access.update!, actor)
    const found = await this.find(idOrName)
    requireOwnerOr(actor, found, 'bucket_update')
    await restorePlace(found.id, found.region)
    return (await this.store.read(found.id, EVERYTHING, {})) ?? this.#gone()
  }

  override async remove(origin: Origin, idOrName: string): Promise<string> {
    enforce(this.kind.access.remove!, origin.actor)
    const { id } = await this.find(idOrName)
    const { removed, leave } = await inTransaction(this.pool, async (transaction) => {
      const previous = (await this.store.lock(transaction, id)) ?? this.#gone()
      requireOwnerOr(origin.actor, previous as unknown as Reached, 'bucket_delete')
      const departure = await prepareRemoval(transaction, id)
      return { removed: await this.removeWithin(transaction, origin, id), leave: departure }
    })
    await leave()
    return removed.data
  }

  /** Makes the place of a bucket that a command asks for; what is answered makes the bucket itself, where it is not there yet. */
  async createCommanded(origin: CommandedOrigin, wanted: Values): Promise<Conclusion> {
    const id = wanted.id as string
    await inTransaction(this.pool, async (transaction) => {
      if (await announcePlace(transaction, id)) {
        await tellOfBucket(transaction, origin, 'creationStarted', wanted)
      }
    })
    const values = await this.prepareCreation(origin, wanted)
    return this.aroundCreation(origin, values, async () => async (transaction) => {
      const known = await this.store.lock(transaction, id)
      await (known
        ? tellOfBucket(transaction, origin, 'creationFinished', known)
        : this.createWithin(transaction, origin, values))
    })
  }

  /** Removes a bucket because a command asks for it. */
  async removeCommanded(transaction: pg.ClientBase, origin: CommandedOrigin, id: string) {
    const known = await this.store.lock(transaction, id)
    if (!known) {
      const error = new EntityNotFound(this.kind.label).message
      return tellOfBucket(transaction, origin, 'deletionFailed', { id, error })
    }
    await tellOfBucket(transaction, origin, 'deletionStarted', { id: known.id })
    const leave = await prepareRemoval(transaction, known.id as string)
    await this.removeWithin(transaction, origin, id)
    afterCommit(transaction, () => void leave())
  }

  protected override async prepareCreation(origin: Origin, body: Values): Promise<Values> {
    const values = await super.prepareCreation(origin, body)
    const { kind, id } = origin.actor
    return { ...values, actorType: kind, actorId: id }
  }

  /** What is away now is not there to be cleaned up either; that is left to the sweep. */
  protected override async aroundCreation<T>(
    _origin: Origin,
    values: Values,
    work: () => Promise<T>
  ): Promise<T> {
    const id = values.id as string
    try {
      await preparePlace(id, values.region as string | null | undefined)
      return await work()
    } catch (error) {
      const isAway = error instanceof ServiceUnavailable
      await (isAway ? undefined : giveBack(id))
      throw error
    }
  }

  protected override async afterWrite(
    transaction: pg.ClientBase,
    origin: Origin,
    { type, previous, next }: WrittenChange
  ): Promise<void> {
    if (type !== 'updated') {
      const event = type === 'created' ? 'creationFinished' : 'deletionFinished'
      await tellOfBucket(transaction, origin, event, (next ?? previous)!)
    }
  }

  /** Only files are part of a bucket. */
  protected override async afterPartsWent(
    transaction: pg.ClientBase,
    origin: Origin,
    _kind: Kind,
    files: readonly Values[]
  ): Promise<void> {
    await tellOfFiles(transaction, origin, 'deletionFinished', files)
  }

  async #byId(id: string): Promise<BucketRow> {
    const found = isUuid(id) ? await this.#one(BY_ID, id) : undefined
    return found ?? this.#gone()
  }

  async #byName(name: string): Promise<BucketRow> {
    const canBeOne = !name.includes('\0')
    return (canBeOne ? await this.#one(BY_NAME, name) : undefined) ?? this.#gone()
  }

  async #one(text: string, value: string): Promise<BucketRow | undefined> {
    const { rows } = await this.pool.query<BucketRow>(text, [value])
    return rows[0]
  }

  #gone(): never {
    throw new EntityNotFound(this.kind.label)
  }
}
