import type pg from 'pg'

import { AnalysisPartService } from '#core/analyses/analysis_part_service'
import type { Content } from '#core/analyses/approved_content'
import { requireUnlocked } from '#core/analyses/configuration_lock'
import { requireFileWriter } from '#core/analysis_bucket_files/file_writer'
import { enforce } from '#kernel/access'
import { BadRequest, EntityNotFound } from '#kernel/failures'
import { issue } from '#kernel/issues'
import type { Origin } from '#kernel/origin'
import type { Kind, Values } from '#records/kind'
import type { WrittenChange } from '#records/record_change'
import { RecordService, type RecordServiceOptions } from '#records/record_service'

interface Bucket {
  readonly analysisId: string
  readonly bucketId: string
  readonly realmId: string
}

const BUCKET = `select analysis_id as "analysisId", bucket_id as "bucketId", realm_id as "realmId"
  from analysis_buckets where id = $1`

const CREATOR = { user: 'userId', client: 'clientId', robot: 'robotId' } as const

/**
 * The files of analyses. One of those with code is what the analysis starts with: the last one that was said to be.
 */
export class AnalysisBucketFileService extends AnalysisPartService {
  /** For changes that follow from others, and from which nothing follows. */
  readonly #files: RecordService

  constructor(kind: Kind, options: RecordServiceOptions) {
    super(kind, options)
    this.#files = new RecordService(kind, options)
  }

  override async update(origin: Origin, id: string, body: Values): Promise<string> {
    enforce(this.kind.access.update!, origin.actor)
    return this.change(id, async (transaction, { analysis, part }) => {
      await requireFileWriter(transaction, origin.actor, part)
      if (Object.keys(body).length > 0) {
        await this.#requireOpen(transaction, analysis, part)
      }
      if (body.root === true) {
        await this.#takeOver(transaction, origin, part)
      }
      return this.updateWithin(transaction, origin, id, body)
    })
  }

  override async remove(origin: Origin, id: string): Promise<string> {
    enforce(this.kind.access.remove!, origin.actor)
    return this.change(id, async (transaction, { part }) => {
      await requireFileWriter(transaction, origin.actor, part)
      return this.removeWithin(transaction, origin, id)
    })
  }

  protected override async prepareCreation({ actor }: Origin, body: Values): Promise<Values> {
    const { rows } = await this.pool.query<Bucket>(BUCKET, [body.analysisBucketId])
    const bucket = rows[0]
    if (!bucket) {
      throw new EntityNotFound('analysis-bucket')
    }
    const { analysisId, realmId } = bucket
    await requireFileWriter(this.pool, actor, bucket)
    requireSameBucket(bucket, body)
    return { ...body, analysisId, realmId, [CREATOR[actor.kind]]: actor.id }
  }

  protected override async inCreation(
    transaction: pg.ClientBase,
    origin: Origin,
    values: Values
  ): Promise<Values> {
    const analysis = await this.lockAnalysis(transaction, values.analysisId)
    await this.answerExisting(transaction, values, ['analysisBucketId', 'bucketFileId'])
    await this.#requireOpen(transaction, analysis, values)
    if (values.root === true) {
      await this.#takeOver(transaction, origin, values)
    }
    return values
  }

  protected override async afterWrite(
    transaction: pg.ClientBase,
    origin: Origin,
    { type, previous, next }: WrittenChange
  ): Promise<void> {
    const file = (next ?? previous)!
    const id = file.analysisId as string
    const changed = contentChanged(previous, next)
    const isContent = changed.length > 0 && (await this.#isCode(transaction, file))
    if (type === 'deleted' && isContent) {
      await this.upkeep.followRemoval(transaction, origin, id, 'files')
    }
    if (previous?.root !== next?.root) {
      await this.upkeep.followFiles(transaction, origin, id)
    }
    if (isContent) {
      await this.upkeep.followContent(transaction, origin, id, changed)
    }
  }

  /** Code that nodes are asked about stays as it is; results come in while it runs. */
  async #requireOpen(transaction: pg.ClientBase, analysis: Values, file: Values): Promise<void> {
    if (analysis.configurationLocked && (await this.#isCode(transaction, file))) {
      requireUnlocked(analysis)
    }
  }

  async #isCode(transaction: pg.ClientBase, { analysisBucketId }: Values): Promise<boolean> {
    const { rowCount } = await transaction.query(
      `select 1 from analysis_buckets where id = $1 and type = 'CODE'`,
      [analysisBucketId]
    )
    return rowCount === 1
  }

  /** Only one file of a bucket is its root. */
  async #takeOver(transaction: pg.ClientBase, origin: Origin, file: Values): Promise<void> {
    const { rows } = await transaction.query<{ id: string }>(
      `select id from analysis_bucket_files
       where analysis_bucket_id = $1 and root and id is distinct from $2::uuid`,
      [file.analysisBucketId, file.id ?? null]
    )
    for (const { id } of rows) {
      await this.#files.updateWithin(transaction, origin, id, { root: false })
    }
  }
}

/** What a write of a file with code makes another of what nodes approved. */
function contentChanged(previous: Values | undefined, next: Values | undefined): Content[] {
  const isRoot = (file: Values | undefined) => file?.root === true
  return [
    ...(previous?.path === next?.path ? [] : (['files'] as const)),
    ...(isRoot(previous) === isRoot(next) ? [] : (['entrypoint'] as const)),
  ]
}

function requireSameBucket({ bucketId }: Bucket, body: Values): void {
  if (body.bucketId !== bucketId) {
    const message = 'The bucket of the analysis is another one in the storage'
    throw new BadRequest(message, { issues: [issue('value_invalid', ['bucketId'], message)] })
  }
}
