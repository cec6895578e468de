import { inject } from '@adonisjs/core'
import type pg from 'pg'

import { StorageRecords } from '#storage/storage_records'
import { hasPermission, mayWriteIn, requireThat } from '#auth/verification/checks'
import { enforce } from '#kernel/access'
import type { DecodedQuery, Selection } from '#query/decode'
import type { ListRow } from '#query/sql/list_statement'
import type { Origin } from '#kernel/origin'
import { isUuid } from '#kernel/is_uuid'
import { RecordService } from '#records/record_service'
import type { RowValues } from '#records/record_store'
import { inTransaction } from '#records/transaction'
import { accessibleFiles } from '#storage/access/accessible_rows'
import { requireAccess, requireChange } from '#storage/access/bucket_access'
import { bucketFile, type BucketFile } from './bucket_file.js'
import { FILE_BY_ID, type FileRow } from './file_row.js'
import { recordFileEvents } from '#storage/buckets/storage_events'
import { requireUnlocked } from '#storage/locks/bucket_locks'
import { removeAgreed } from '#storage/locks/removal_of_locked'

import { removeObject } from './remove_object.js'
import { selectsBucket, queriesBucket } from './queries_bucket.js'

/** Files of buckets. Their content is in the object store; the records decide which files exist. */
@inject()
export class BucketFileService extends RecordService<typeof BucketFile> {
  constructor(records: StorageRecords) {
    super(bucketFile, records)
  }

  override async list({ actor }: Origin, query: DecodedQuery): Promise<ListRow> {
    enforce(this.kind.access.read, actor)
    return this.store.list(query, { where: await accessibleFiles(actor, queriesBucket(query)) })
  }

  override async read({ actor }: Origin, id: string, selection: Selection): Promise<string> {
    enforce(this.kind.access.read, actor)
    const where = await accessibleFiles(actor, selectsBucket(selection))
    const record = await this.store.read(id, selection, { where })
    if (record === undefined) {
      const file = await this.findRow(id)
      await requireAccess(actor, selectsBucket(selection) ? file.bucket : file)
      return (await this.store.read(id, selection, {})) ?? this.missing()
    }
    return record
  }

  /** A file with its internal columns and its bucket. Throws if there is none. */
  async findRow(id: string): Promise<FileRow> {
    const { rows } = isUuid(id)
      ? await this.pool.query<FileRow>(FILE_BY_ID, [id])
      : { rows: [] as FileRow[] }
    return rows[0] ?? this.missing()
  }

  override async remove(origin: Origin, id: string): Promise<string> {
    enforce(this.kind.access.remove!, origin.actor)
    const file = await this.findRow(id)
    await requireChange(origin.actor, file)
    return removeAgreed({
      origin,
      bucketId: file.bucketId,
      removal: { file: file.id },
      perform: (isAgreed) => this.#remove(origin, file, isAgreed),
    })
  }

  /** Removes a file that core has removed from its analysis, even from a locked bucket. */
  async removeForCore(origin: Origin, id: string): Promise<string> {
    enforce(this.kind.access.remove!, origin.actor)
    const file = await this.findRow(id)
    requireThat(origin.actor, hasPermission('bucket_update'), mayWriteIn(file.bucket.realmId))
    return this.#remove(origin, file, true)
  }

  /** Creates the record of a file whose content is in the object store. */
  async createFromUpload(
    transaction: pg.ClientBase,
    origin: Origin,
    values: RowValues<typeof BucketFile>
  ): Promise<string> {
    const written = await this.insert(transaction, origin, values)
    await recordFileEvents(transaction, origin, 'creationFinished', [written.values])
    return written.data
  }

  async #remove(origin: Origin, file: FileRow, isAgreed: boolean): Promise<string> {
    const { data } = await inTransaction(this.pool, async (transaction) => {
      await (isAgreed ? undefined : requireUnlocked(transaction, file.bucketId))
      const previous = await this.lock(transaction, file.id)
      const removed = await this.removeWithPendingEvent(transaction, origin, previous)
      await recordFileEvents(transaction, origin, 'deletionFinished', [previous])
      await removed.recordEvent()
      return removed
    })
    await removeObject(file)
    return data
  }
}
