import { inject } from '@adonisjs/core'
import type pg from 'pg'

import { CoreRecords } from '#core/core_records'
import type { Analysis } from '#core/analyses/analysis'
import {
  AnalysisPartService,
  type CreateResult,
  type LockedPart,
} from '#core/analyses/analysis_part_service'
import { AnalysisUpkeep } from '#core/analyses/analysis_upkeep'
import type { ContentPart } from '#core/analyses/approved_content'
import { requireUnlocked } from '#core/analyses/configuration_lock'
import { requireRemovable } from '#core/analyses/removable_code'
import { scheduleRemoval } from '#core/code_locks/code_removals'
import {
  analysisBucketFile,
  type AnalysisBucketFile,
  type createAnalysisBucketFile,
  type updateAnalysisBucketFile,
} from './analysis_bucket_file.js'
import { requireFileWriter } from './file_writer.js'
import { removedFiles } from './removed_files.js'
import { enforce } from '#kernel/access'
import type { BodyOf } from '#kernel/body'
import { BadRequest, EntityNotFound } from '#kernel/failures'
import { issue } from '#kernel/issues'
import type { Origin } from '#kernel/origin'
import type { WrittenRecord } from '#records/record_store'
import type { Row } from '#records/row'
import { inTransaction } from '#records/transaction'

type FileRow = Row<typeof AnalysisBucketFile>
type FileChanges = BodyOf<typeof updateAnalysisBucketFile>

/** An existing or new file in its bucket. */
interface FilePlacement {
  readonly id?: string
  readonly analysisBucketId: string
  readonly root?: boolean
}

interface BucketRow {
  readonly analysisId: string
  readonly bucketId: string
  readonly realmId: string
}

/** The columns that a file takes over from its bucket. */
type BucketOfAnalysis = Pick<FileRow, 'analysisBucketId' | 'analysisId' | 'realmId'>

const BUCKET = `select analysis_id as "analysisId", bucket_id as "bucketId", realm_id as "realmId"
  from analysis_buckets where id = $1`

const BUCKETS_OF_ANALYSES = `select id as "analysisBucketId", analysis_id as "analysisId", realm_id as "realmId"
  from analysis_buckets where bucket_id = $1 order by analysis_id`

/** The root files that a new root replaces: in its bucket or, for code, in all code buckets of the analysis. */
const OTHER_ROOTS = `select f.id from analysis_bucket_files f
  join analysis_buckets b on b.id = f.analysis_bucket_id
  join analysis_buckets own on own.id = $1
  where b.analysis_id = own.analysis_id and f.root and f.id is distinct from $2::uuid
    and (b.id = own.id or b.type = 'CODE' and own.type = 'CODE')
  order by f.id`

const BY_FILE_ID = `select id, bucket_file_id as key from analysis_bucket_files
  where analysis_bucket_id = $1 and bucket_file_id = any($2::uuid[])`

const BY_PATH = `select id, path as key from analysis_bucket_files
  where analysis_bucket_id = $1 and path = any($2::text[]) order by id`

const CREATOR = { user: 'userId', client: 'clientId', robot: 'robotId' } as const

/** A file as storage reports it. */
export interface StoredFile {
  readonly id: string
  readonly bucketId: string
  readonly path: string
  readonly actorType?: keyof typeof CREATOR | null
  readonly actorId?: string | null
}

/** The files of analyses. The code file that was last marked as root is the entry point of the analysis. */
@inject()
export class AnalysisBucketFileService extends AnalysisPartService<typeof AnalysisBucketFile> {
  constructor(records: CoreRecords, upkeep: AnalysisUpkeep) {
    super(analysisBucketFile, records, upkeep)
  }

  override async create(
    origin: Origin,
    body: BodyOf<typeof createAnalysisBucketFile>
  ): Promise<string> {
    const { actor } = origin
    enforce(this.kind.access.create!, actor)
    await this.requireRelations(body)
    const bucket = await this.#findBucket(body.analysisBucketId)
    const { analysisBucketId } = body
    await requireFileWriter(this.pool, actor, { ...bucket, analysisBucketId })
    requireSameBucket(bucket, body)
    const { analysisId, realmId } = bucket
    const values = { ...body, analysisId, realmId, [CREATOR[actor.kind]]: actor.id }
    const result = await inTransaction(this.pool, async (transaction): Promise<CreateResult> => {
      const analysis = await this.lockAnalysis(transaction, analysisId)
      const existing = await this.findExisting(transaction, values, [
        'analysisBucketId',
        'bucketFileId',
      ])
      if (existing !== undefined) {
        return this.#createExisting(transaction, origin, { analysis, existing, body })
      }
      await this.#requireWritable(transaction, analysis, values)
      await this.#replaceRoot(transaction, origin, values)
      await removedFiles.forget(transaction, values)
      const written = await this.insert(transaction, origin, values)
      await this.#refreshAnalysis(transaction, origin, undefined, written.values)
      return written
    })
    return this.readCreated(origin, result)
  }

  override async update(
    origin: Origin,
    id: string,
    body: BodyOf<typeof updateAnalysisBucketFile>
  ): Promise<string> {
    enforce(this.kind.access.update!, origin.actor)
    return this.withLockedPart(id, async (transaction, { analysis, part }) => {
      await requireFileWriter(transaction, origin.actor, part)
      return this.#change(transaction, origin, { analysis, part, body })
    })
  }

  override async remove(origin: Origin, id: string): Promise<string> {
    enforce(this.kind.access.remove!, origin.actor)
    return this.withLockedPart(id, async (transaction, { analysis, part }) => {
      await requireFileWriter(transaction, origin.actor, part)
      return this.#removeForCaller(transaction, origin, { analysis, part })
    })
  }

  /**
   * Removes the records of a file that storage is about to delete for this caller, who may: storage has checked it.
   * Throws while one of its analyses is being built or distributed.
   */
  async removeBeforeStorage(origin: Origin, bucketFileId: string): Promise<void> {
    await inTransaction(this.pool, async (transaction) => {
      for await (const locked of this.lockPartsWith(transaction, 'bucketFileId', bucketFileId)) {
        await this.#removeForCaller(transaction, origin, locked)
      }
    })
  }

  /** Adds stored files of one bucket to all analyses of the bucket. Replaces files at the same paths. */
  async addStored(
    transaction: pg.ClientBase,
    origin: Origin,
    files: readonly StoredFile[]
  ): Promise<void> {
    const { rows } = await transaction.query<BucketOfAnalysis>(BUCKETS_OF_ANALYSES, [
      files[0]?.bucketId,
    ])
    for (const bucket of rows) {
      if (await this.upkeep.lock(transaction, bucket.analysisId)) {
        await this.#addToBucket(transaction, origin, bucket, files)
      }
    }
  }

  /** Removes the records of a file that storage deleted. */
  async removeDeleted(
    transaction: pg.ClientBase,
    origin: Origin,
    bucketFileId: string
  ): Promise<void> {
    for await (const { part } of this.lockPartsWith(transaction, 'bucketFileId', bucketFileId)) {
      await this.#removeFile(transaction, origin, part)
    }
    await removedFiles.forgetDeleted(transaction, bucketFileId)
  }

  /** Removes the reference to a deleted user; the file itself stays. */
  async detachUser(origin: Origin, id: string): Promise<void> {
    await inTransaction(this.pool, (transaction) =>
      this.updateById(transaction, origin, id, { userId: null })
    )
  }

  async #addToBucket(
    transaction: pg.ClientBase,
    origin: Origin,
    bucket: BucketOfAnalysis,
    files: readonly StoredFile[]
  ): Promise<void> {
    const { analysisBucketId } = bucket
    const known = await this.#findIds(transaction, analysisBucketId, 'bucketFileId', files)
    const ids = files.map(({ id }) => id)
    const removed = await removedFiles.find(transaction, analysisBucketId, ids)
    const added = files.filter(({ id }) => !known.has(id) && !removed.has(id))
    const replaced = await this.#findIds(transaction, analysisBucketId, 'path', added)
    for (const id of replaced.values()) {
      await this.#removeFile(transaction, origin, await this.lock(transaction, id))
    }
    const latest = new Map(added.map((file) => [file.path, file]))
    const values = [...latest.values()].map((file) => ({ ...bucket, ...valuesOf(file) }))
    const written = await this.insertAll(transaction, origin, values)
    await this.#refreshAnalysis(transaction, origin, undefined, written.at(-1)?.values)
  }

  /** The file was already added by the event of storage; only `root` may be left to set. */
  async #createExisting(
    transaction: pg.ClientBase,
    origin: Origin,
    request: { analysis: Row<typeof Analysis>; existing: string; body: { root?: boolean } }
  ): Promise<CreateResult> {
    const { analysis, existing, body } = request
    const part = await this.lock(transaction, existing)
    return body.root === true && !part.root
      ? this.#change(transaction, origin, { analysis, part, body: { root: true } })
      : { existing }
  }

  async #change(
    transaction: pg.ClientBase,
    origin: Origin,
    change: { analysis: Row<typeof Analysis>; part: FileRow; body: FileChanges }
  ): Promise<WrittenRecord<typeof AnalysisBucketFile>> {
    const { analysis, part, body } = change
    if (Object.keys(body).length > 0) {
      await this.#requireWritable(transaction, analysis, part)
    }
    await this.#replaceRoot(transaction, origin, { ...part, root: body.root })
    const written = await this.change(transaction, origin, part, body)
    await this.#refreshAnalysis(transaction, origin, part, written.values)
    return written
  }

  /** Updates the analysis after a file was added, changed or removed. */
  async #refreshAnalysis(
    transaction: pg.ClientBase,
    origin: Origin,
    previous: FileRow | undefined,
    next: FileRow | undefined
  ): Promise<void> {
    const file = next ?? previous
    if (!file) {
      return
    }
    const id = file.analysisId
    const changed = changedContent(previous, next)
    const isContent = changed.length > 0 && (await this.#isCode(transaction, file))
    if (next === undefined && isContent) {
      await this.upkeep.withdrawApprovalsAfterRemoval(transaction, origin, id, 'files')
    }
    if (previous?.root !== next?.root) {
      await this.upkeep.refreshEntrypoint(transaction, origin, id)
    }
    if (isContent) {
      await this.upkeep.withdrawOutdatedApprovals(transaction, origin, id, changed)
    }
  }

  /** Storage deletes code that no analysis has any more; it keeps results, which are of their nodes. */
  async #removeForCaller(
    transaction: pg.ClientBase,
    origin: Origin,
    { analysis, part }: LockedPart<typeof AnalysisBucketFile>
  ): Promise<WrittenRecord<typeof AnalysisBucketFile>> {
    const isCode = await this.#isCode(transaction, part)
    if (isCode) {
      requireRemovable(analysis)
    }
    const removed = await this.#removeFile(transaction, origin, part)
    await removedFiles.remember(transaction, part)
    if (isCode) {
      await scheduleRemoval(transaction, this.pool, { file: part.bucketFileId })
    }
    return removed
  }

  async #removeFile(transaction: pg.ClientBase, origin: Origin, part: FileRow) {
    const removed = await this.removeWithPendingEvent(transaction, origin, part)
    await this.#refreshAnalysis(transaction, origin, part, undefined)
    await removed.recordEvent()
    return removed
  }

  /** The ids of records in a bucket with the id or path of these files, by that id or path. */
  async #findIds(
    transaction: pg.ClientBase,
    analysisBucketId: string,
    by: 'bucketFileId' | 'path',
    files: readonly StoredFile[]
  ): Promise<ReadonlyMap<string, string>> {
    const { rows } = await transaction.query<{ id: string; key: string }>(
      by === 'path' ? BY_PATH : BY_FILE_ID,
      [analysisBucketId, files.map((file) => (by === 'path' ? file.path : file.id))]
    )
    return new Map(rows.map(({ id, key }) => [key, id]))
  }

  async #findBucket(analysisBucketId: string): Promise<BucketRow> {
    const { rows } = await this.pool.query<BucketRow>(BUCKET, [analysisBucketId])
    if (!rows[0]) {
      throw new EntityNotFound('analysis-bucket')
    }
    return rows[0]
  }

  /** Code cannot change while the configuration is locked; results are still written. */
  async #requireWritable(
    transaction: pg.ClientBase,
    analysis: Row<typeof Analysis>,
    file: FilePlacement
  ): Promise<void> {
    if (analysis.configurationLocked && (await this.#isCode(transaction, file))) {
      requireUnlocked(analysis)
    }
  }

  async #isCode(transaction: pg.ClientBase, { analysisBucketId }: FilePlacement): Promise<boolean> {
    const { rowCount } = await transaction.query(
      `select 1 from analysis_buckets where id = $1 and type = 'CODE'`,
      [analysisBucketId]
    )
    return rowCount === 1
  }

  /** An analysis has one entry point: a new root replaces the former one. */
  async #replaceRoot(
    transaction: pg.ClientBase,
    origin: Origin,
    file: FilePlacement
  ): Promise<void> {
    if (file.root !== true) {
      return
    }
    const { rows } = await transaction.query<{ id: string }>(OTHER_ROOTS, [
      file.analysisBucketId,
      file.id ?? null,
    ])
    for (const { id } of rows) {
      await this.updateById(transaction, origin, id, { root: false })
    }
  }
}

function valuesOf({ id, bucketId, path, actorType, actorId }: StoredFile) {
  const creator = actorType && actorId ? { [CREATOR[actorType]]: actorId } : {}
  return { bucketId, bucketFileId: id, path, ...creator, root: false }
}

/** The parts of the approved content that a write of a code file changes. */
function changedContent(previous: FileRow | undefined, next: FileRow | undefined): ContentPart[] {
  const isRoot = (file: FileRow | undefined) => file?.root === true
  return [
    ...(previous?.path === next?.path ? [] : (['files'] as const)),
    ...(isRoot(previous) === isRoot(next) ? [] : (['entrypoint'] as const)),
  ]
}

function requireSameBucket(
  { bucketId }: BucketRow,
  body: BodyOf<typeof createAnalysisBucketFile>
): void {
  if (body.bucketId !== bucketId) {
    const message = 'bucketId is not the bucket of the analysis bucket: send its bucketId'
    throw new BadRequest(message, { issues: [issue('value_invalid', ['bucketId'], message)] })
  }
}
