import type pg from 'pg'

import type { Analysis } from '#core/analyses/analysis'
import { AnalysisPartService, type Made } from '#core/analyses/analysis_part_service'
import type { AnalysisUpkeep } from '#core/analyses/analysis_upkeep'
import type { Content } from '#core/analyses/approved_content'
import { requireUnlocked } from '#core/analyses/configuration_lock'
import {
  analysisBucketFile,
  type AnalysisBucketFile,
  type createAnalysisBucketFile,
  type updateAnalysisBucketFile,
} from './analysis_bucket_file.js'
import { requireFileWriter } from './file_writer.js'
import { enforce } from '#kernel/access'
import type { BodyOf } from '#kernel/body'
import { BadRequest, EntityNotFound } from '#kernel/failures'
import { issue } from '#kernel/issues'
import type { Origin } from '#kernel/origin'
import type { RecordServiceOptions } from '#records/record_service'
import type { Written } from '#records/record_store'
import type { Row } from '#records/row'
import { inTransaction } from '#records/transaction'

type File = Row<typeof AnalysisBucketFile>
type Changes = BodyOf<typeof updateAnalysisBucketFile>

/** A file in its bucket, whether it is there yet or not. */
interface Placed {
  readonly id?: string
  readonly analysisBucketId: string
  readonly root?: boolean
}

interface Bucket {
  readonly analysisId: string
  readonly bucketId: string
  readonly realmId: string
}

/** What a file has of the bucket of an analysis that it is in. */
type InAnalysis = Pick<File, 'analysisBucketId' | 'analysisId' | 'realmId'>

const BUCKET = `select analysis_id as "analysisId", bucket_id as "bucketId", realm_id as "realmId"
  from analysis_buckets where id = $1`

const OF_BUCKET = `select id as "analysisBucketId", analysis_id as "analysisId", realm_id as "realmId"
  from analysis_buckets where bucket_id = $1 order by analysis_id`

/** The roots that a file takes the place of: that of its bucket or, for code, of all buckets with code of its analysis. */
const OTHER_ROOTS = `select f.id from analysis_bucket_files f
  join analysis_buckets b on b.id = f.analysis_bucket_id
  join analysis_buckets own on own.id = $1
  where b.analysis_id = own.analysis_id and f.root and f.id is distinct from $2::uuid
    and (b.id = own.id or b.type = 'CODE' and own.type = 'CODE')
  order by f.id`

const OF_FILES = `select id, bucket_file_id as key from analysis_bucket_files
  where analysis_bucket_id = $1 and bucket_file_id = any($2::uuid[])`

const AT_PATHS = `select id, path as key from analysis_bucket_files
  where analysis_bucket_id = $1 and path = any($2::text[]) order by id`

const CREATOR = { user: 'userId', client: 'clientId', robot: 'robotId' } as const

/** A file as storage tells of it. */
export interface StoredFile {
  readonly id: string
  readonly bucketId: string
  readonly path: string
  readonly actorType?: keyof typeof CREATOR | null
  readonly actorId?: string | null
}

/**
 * The files of analyses. One of those with code, in whichever bucket, is what the analysis starts with: the last one that was said
 * to be.
 */
export class AnalysisBucketFileService extends AnalysisPartService<typeof AnalysisBucketFile> {
  constructor(options: RecordServiceOptions, upkeep: AnalysisUpkeep) {
    super(analysisBucketFile, options, upkeep)
  }

  override async create(
    origin: Origin,
    body: BodyOf<typeof createAnalysisBucketFile>
  ): Promise<string> {
    const { actor } = origin
    enforce(this.kind.access.create!, actor)
    await this.requireRelations(body)
    const bucket = await this.#bucketOf(body.analysisBucketId)
    await requireFileWriter(this.pool, actor, bucket)
    requireSameBucket(bucket, body)
    const { analysisId, realmId } = bucket
    const values = { ...body, analysisId, realmId, [CREATOR[actor.kind]]: actor.id }
    const made = await inTransaction(this.pool, async (transaction): Promise<Made> => {
      const analysis = await this.lockAnalysis(transaction, analysisId)
      const existing = await this.existing(transaction, values, [
        'analysisBucketId',
        'bucketFileId',
      ])
      if (existing !== undefined) {
        return this.#askedForAgain(transaction, origin, { analysis, existing, body })
      }
      await this.#requireOpen(transaction, analysis, values)
      await this.#takeOver(transaction, origin, values)
      const written = await this.insert(transaction, origin, values)
      await this.#follow(transaction, origin, undefined, written.values)
      return written
    })
    return this.answerMade(origin, made)
  }

  override async update(
    origin: Origin,
    id: string,
    body: BodyOf<typeof updateAnalysisBucketFile>
  ): Promise<string> {
    enforce(this.kind.access.update!, origin.actor)
    return this.holdingPart(id, async (transaction, { analysis, part }) => {
      await requireFileWriter(transaction, origin.actor, part)
      return this.#change(transaction, origin, { analysis, part, body })
    })
  }

  override async remove(origin: Origin, id: string): Promise<string> {
    enforce(this.kind.access.remove!, origin.actor)
    return this.holdingPart(id, async (transaction, { part }) => {
      await requireFileWriter(transaction, origin.actor, part)
      return this.#takeOut(transaction, origin, part)
    })
  }

  /** Enters files of one bucket that storage took in, in each analysis it is of. What stood at their paths before is no longer there. */
  async enterStored(
    transaction: pg.ClientBase,
    origin: Origin,
    files: readonly StoredFile[]
  ): Promise<void> {
    const { rows } = await transaction.query<InAnalysis>(OF_BUCKET, [files[0]?.bucketId])
    for (const bucket of rows) {
      if (await this.upkeep.lock(transaction, bucket.analysisId)) {
        await this.#enterIn(transaction, origin, bucket, files)
      }
    }
  }

  /** Removes what stands for a file that storage deleted. */
  async removeDeleted(
    transaction: pg.ClientBase,
    origin: Origin,
    bucketFileId: string
  ): Promise<void> {
    for await (const part of this.heldWith(transaction, 'bucketFileId', bucketFileId)) {
      await this.#takeOut(transaction, origin, part)
    }
  }

  /** A file stays when the user is gone who made it. */
  async releaseUser(origin: Origin, id: string): Promise<void> {
    await inTransaction(this.pool, (transaction) =>
      this.changeById(transaction, origin, id, { userId: null })
    )
  }

  async #enterIn(
    transaction: pg.ClientBase,
    origin: Origin,
    bucket: InAnalysis,
    files: readonly StoredFile[]
  ): Promise<void> {
    const { analysisBucketId } = bucket
    const entered = await this.#knownAmong(transaction, analysisBucketId, 'bucketFileId', files)
    const added = files.filter(({ id }) => !entered.has(id))
    const former = await this.#knownAmong(transaction, analysisBucketId, 'path', added)
    for (const id of former.values()) {
      await this.#takeOut(transaction, origin, await this.lock(transaction, id))
    }
    const latest = new Map(added.map((file) => [file.path, file]))
    const values = [...latest.values()].map((file) => ({ ...bucket, ...valuesOf(file) }))
    const written = await this.insertAll(transaction, origin, values)
    await this.#follow(transaction, origin, undefined, written.at(-1)?.values)
  }

  /** A file that was entered by itself since it came to storage is what its sender asks for, but for the root it is to be. */
  async #askedForAgain(
    transaction: pg.ClientBase,
    origin: Origin,
    asked: { analysis: Row<typeof Analysis>; existing: string; body: { root?: boolean } }
  ): Promise<Made> {
    const { analysis, existing, body } = asked
    const part = await this.lock(transaction, existing)
    return body.root === true && !part.root
      ? this.#change(transaction, origin, { analysis, part, body: { root: true } })
      : { existing }
  }

  async #change(
    transaction: pg.ClientBase,
    origin: Origin,
    change: { analysis: Row<typeof Analysis>; part: File; body: Changes }
  ): Promise<Written<typeof AnalysisBucketFile>> {
    const { analysis, part, body } = change
    if (Object.keys(body).length > 0) {
      await this.#requireOpen(transaction, analysis, part)
    }
    await this.#takeOver(transaction, origin, { ...part, root: body.root })
    const written = await this.change(transaction, origin, part, body)
    await this.#follow(transaction, origin, part, written.values)
    return written
  }

  /** Has the analysis follow a file that came, changed or went. */
  async #follow(
    transaction: pg.ClientBase,
    origin: Origin,
    previous: File | undefined,
    next: File | undefined
  ): Promise<void> {
    const file = next ?? previous
    if (!file) {
      return
    }
    const id = file.analysisId
    const changed = contentChanged(previous, next)
    const isContent = changed.length > 0 && (await this.#isCode(transaction, file))
    if (next === undefined && isContent) {
      await this.upkeep.followRemoval(transaction, origin, id, 'files')
    }
    if (previous?.root !== next?.root) {
      await this.upkeep.followFiles(transaction, origin, id)
    }
    if (isContent) {
      await this.upkeep.followContent(transaction, origin, id, changed)
    }
  }

  async #takeOut(transaction: pg.ClientBase, origin: Origin, part: File) {
    const removed = await this.removeUntold(transaction, origin, part)
    await this.#follow(transaction, origin, part, undefined)
    await removed.tell()
    return removed
  }

  /** The files of a bucket that have the id or the path of one of these, by that. */
  async #knownAmong(
    transaction: pg.ClientBase,
    analysisBucketId: string,
    by: 'bucketFileId' | 'path',
    files: readonly StoredFile[]
  ): Promise<ReadonlyMap<string, string>> {
    const { rows } = await transaction.query<{ id: string; key: string }>(
      by === 'path' ? AT_PATHS : OF_FILES,
      [analysisBucketId, files.map((file) => (by === 'path' ? file.path : file.id))]
    )
    return new Map(rows.map(({ id, key }) => [key, id]))
  }

  async #bucketOf(analysisBucketId: string): Promise<Bucket> {
    const { rows } = await this.pool.query<Bucket>(BUCKET, [analysisBucketId])
    if (!rows[0]) {
      throw new EntityNotFound('analysis-bucket')
    }
    return rows[0]
  }

  /** Code that nodes are asked about stays as it is; results come in while it runs. */
  async #requireOpen(
    transaction: pg.ClientBase,
    analysis: Row<typeof Analysis>,
    file: Placed
  ): Promise<void> {
    if (analysis.configurationLocked && (await this.#isCode(transaction, file))) {
      requireUnlocked(analysis)
    }
  }

  async #isCode(transaction: pg.ClientBase, { analysisBucketId }: Placed): Promise<boolean> {
    const { rowCount } = await transaction.query(
      `select 1 from analysis_buckets where id = $1 and type = 'CODE'`,
      [analysisBucketId]
    )
    return rowCount === 1
  }

  /** An analysis starts with one file: one that becomes the root takes the place of another. */
  async #takeOver(transaction: pg.ClientBase, origin: Origin, file: Placed): Promise<void> {
    if (file.root !== true) {
      return
    }
    const { rows } = await transaction.query<{ id: string }>(OTHER_ROOTS, [
      file.analysisBucketId,
      file.id ?? null,
    ])
    for (const { id } of rows) {
      await this.changeById(transaction, origin, id, { root: false })
    }
  }
}

function valuesOf({ id, bucketId, path, actorType, actorId }: StoredFile) {
  const creator = actorType && actorId ? { [CREATOR[actorType]]: actorId } : {}
  return { bucketId, bucketFileId: id, path, ...creator, root: false }
}

/** What a write of a file with code makes another of what nodes approved. */
function contentChanged(previous: File | undefined, next: File | undefined): Content[] {
  const isRoot = (file: File | undefined) => file?.root === true
  return [
    ...(previous?.path === next?.path ? [] : (['files'] as const)),
    ...(isRoot(previous) === isRoot(next) ? [] : (['entrypoint'] as const)),
  ]
}

function requireSameBucket(
  { bucketId }: Bucket,
  body: BodyOf<typeof createAnalysisBucketFile>
): void {
  if (body.bucketId !== bucketId) {
    const message = 'The bucket of the analysis is another one in the storage'
    throw new BadRequest(message, { issues: [issue('value_invalid', ['bucketId'], message)] })
  }
}
