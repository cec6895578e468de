import { inject } from '@adonisjs/core'
import type pg from 'pg'

import { CoreRecords } from '#core/core_records'
import { AnalysisService } from '#core/analyses/analysis_service'
import { isTimely } from '#core/analysis_life/processes'
import {
  masterImageGroup,
  type MasterImageGroup,
} from '#core/master_image_groups/master_image_group'
import { ImageCatalogue } from './image_catalogue.js'
import { beginImageRun, CATALOGUE, forgetImageRun } from './image_runs.js'
import { masterImage, type MasterImage } from './master_image.js'
import { coreSettings } from '#core/core_settings'
import { newMessage, type Message } from '#bus/message'
import { COMMAND_QUEUES, commandRouting } from '#bus/names'
import { enforce } from '#kernel/access'
import { EntityConflict } from '#kernel/failures'
import { issue } from '#kernel/issues'
import { publishCommand } from '#outbox/publish'
import type { Origin } from '#kernel/origin'
import { RecordService, type Removal } from '#records/record_service'
import type { RowValues } from '#records/record_store'
import type { Row } from '#records/row'
import { inTransaction } from '#records/transaction'

/** The types of reports that a worker sends about the build of an image. */
export type ImageEvent =
  'executionStarted' | 'executionProgress' | 'executionFinished' | 'executionFailed'

export interface ImageBuildReport {
  readonly id: string
  readonly report: ImageEvent
  readonly percent: number
  /** The digest of the built image. Null if the worker does not report it. */
  readonly hash: string | null
  readonly size: number | null
}

interface RepositoryGroup {
  readonly name: string
  readonly path: string
  readonly virtualPath: string
}

interface RepositoryImage extends RepositoryGroup {
  readonly command?: string | null | undefined
  readonly commandArguments?: readonly object[] | null | undefined
  /** The digest of an image that needs no build. */
  readonly hash?: string | null | undefined
  readonly size?: number | null | undefined
}

/** The images and groups of the repository. */
export interface RepositoryContent {
  readonly images: readonly RepositoryImage[]
  readonly groups: readonly RepositoryGroup[]
}

/** Images, which workers build and synchronize with their repository. Commands to workers are sent on commit. */
@inject()
export class MasterImageService extends RecordService<typeof MasterImage> {
  readonly #analyses: AnalysisService
  readonly #catalogue: ImageCatalogue<typeof MasterImage>
  readonly #groups: ImageCatalogue<typeof MasterImageGroup>

  constructor(records: CoreRecords, analyses: AnalysisService) {
    super(masterImage, records)
    this.#analyses = analyses
    this.#catalogue = new ImageCatalogue(masterImage, records)
    this.#groups = new ImageCatalogue(masterImageGroup, records)
  }

  /** Requests the synchronization of images and groups with the repository. */
  async synchronize(origin: Origin): Promise<void> {
    enforce(this.kind.access.remove!, origin.actor)
    const source = coreSettings().masterImages
    const { owner, repository } = source
    await inTransaction(this.pool, async (transaction) => {
      const { run } = await beginImageRun(transaction, CATALOGUE)
      const command = executeCommand('masterImageSynchronizer', origin, run, { ...source })
      await publishCommand(transaction, command, `masterImageSource/${owner}/${repository}`)
    })
  }

  /** Requests the build of an image, and returns the updated image. */
  async build(origin: Origin, id: string): Promise<string> {
    enforce(this.kind.access.remove!, origin.actor)
    const { data } = await inTransaction(this.pool, async (transaction) => {
      const image = await this.lock(transaction, id)
      const { run } = await beginImageRun(transaction, image.id)
      const command = executeCommand('masterImageBuilder', origin, run, { id: image.id })
      await publishCommand(transaction, command, `masterImage/${image.id}`)
      return this.change(transaction, origin, image, { buildStatus: 'starting' })
    })
    return data
  }

  /** Detaches the analyses of all realms that use the image, which requires `isForced`. */
  override async remove(
    origin: Origin,
    id: string,
    { isForced }: Removal = { isForced: false }
  ): Promise<string> {
    enforce(this.kind.access.remove!, origin.actor)
    this.requireId(id)
    const { data } = await inTransaction(this.pool, async (transaction) => {
      await lockAnalysesOn(transaction, id)
      const previous = await this.lockWritable(origin, transaction, id)
      if (!isForced) {
        requireUnused(await lockAnalysesOn(transaction, id))
      }
      return this.#removeAndDetach(transaction, origin, previous)
    })
    return data
  }

  /** Applies a report of a build. Ignores late and repeated reports. */
  async applyReport(
    transaction: pg.ClientBase,
    origin: Origin,
    buildReport: ImageBuildReport
  ): Promise<void> {
    const { id, report } = buildReport
    const image = await this.store.lock(transaction, id)
    if (!image || !isTimely(report, image.buildStatus)) {
      return
    }
    await this.change(transaction, origin, image, buildAfter(buildReport, image))
    if (report !== 'executionProgress') {
      await recordEvent(transaction, { scope: 'builder', name: report, refId: id })
    }
  }

  /** Replaces all images and groups in one transaction. Groups come first, since images refer to them. */
  async replaceCatalogue(
    transaction: pg.ClientBase,
    origin: Origin,
    content: RepositoryContent
  ): Promise<void> {
    await lockAnalyses(transaction)
    await this.#groups.replace(transaction, origin, content.groups)
    await this.#catalogue.replace(transaction, origin, content.images.map(imageValues), {
      onChange: async (id) => {
        for (const analysisId of await lockAnalysesOn(transaction, id)) {
          await this.#analyses.withdrawOutdatedApprovals(transaction, origin, analysisId)
        }
      },
      onRemove: async (id) => {
        await this.#removeAndDetach(transaction, origin, await this.lock(transaction, id))
      },
    })
    await this.recordSynchronization(transaction, 'executionFinished')
  }

  recordSynchronization(transaction: pg.ClientBase, name: ImageEvent): Promise<void> {
    return recordEvent(transaction, { scope: 'synchronizer', name })
  }

  /** Removes an image and detaches its analyses. */
  async #removeAndDetach(
    transaction: pg.ClientBase,
    origin: Origin,
    previous: Row<typeof MasterImage>
  ) {
    for (const analysisId of await lockAnalysesOn(transaction, previous.id)) {
      await this.#analyses.detachImage(transaction, origin, analysisId)
    }
    await forgetImageRun(transaction, previous.id)
    return this.removeRecord(transaction, origin, previous)
  }
}

function requireUnused({ length: count }: readonly string[]): void {
  if (count > 0) {
    const users = count === 1 ? 'An analysis uses' : `${count} analyses use`
    const message = `${users} this image and would lose it: to delete it nevertheless, add force=true`
    throw new EntityConflict(message, {
      issues: [issue('in_use', [], message, { meta: { analyses: count } })],
    })
  }
}

function buildAfter(
  { report, percent, hash, size }: ImageBuildReport,
  { buildProgress }: Row<typeof MasterImage>
): RowValues<typeof MasterImage> {
  switch (report) {
    case 'executionStarted':
      return { buildStatus: 'started', buildProgress: buildProgress ?? 0 }
    case 'executionProgress':
      return { buildProgress: Math.max(buildProgress ?? 0, Math.min(percent, 100)) }
    case 'executionFinished':
      return { buildStatus: 'executed', buildProgress: 100, buildHash: hash, buildSize: size }
    case 'executionFailed':
      return { buildStatus: 'failed' }
  }
}

function imageValues({
  commandArguments,
  command,
  hash,
  size,
  ...image
}: RepositoryContent['images'][number]) {
  const { virtualPath } = image
  return {
    ...image,
    groupVirtualPath: virtualPath.slice(0, Math.max(virtualPath.lastIndexOf('/'), 0)),
    command: command ?? null,
    ...(commandArguments && { commandArguments: JSON.stringify(commandArguments) }),
    ...(hash && builtValues(hash, size ?? null)),
  }
}

/** An image that exists already needs no build. */
const builtValues = (buildHash: string, buildSize: number | null) => ({
  buildStatus: 'executed' as const,
  buildProgress: 100,
  buildHash,
  buildSize,
})

function recordEvent(
  transaction: pg.ClientBase,
  event: { readonly scope: string; readonly name: string; readonly refId?: string }
): Promise<void> {
  const data = { ...event, refType: 'masterImage', data: {} }
  const message = newMessage(commandRouting(COMMAND_QUEUES.telemetryEvent), 'create', data)
  return publishCommand(transaction, message, `masterImage/${event.refId ?? 'all'}`)
}

/** Locks the analyses of an image. Every writer locks analyses before images, which prevents deadlocks. */
async function lockAnalysesOn(transaction: pg.ClientBase, imageId: string): Promise<string[]> {
  const { rows } = await transaction.query<{ id: string }>(
    'select id from analyses where master_image_id = $1 order by id for update',
    [imageId]
  )
  return rows.map(({ id }) => id)
}

/** Locks all analyses that have an image. */
async function lockAnalyses(transaction: pg.ClientBase): Promise<void> {
  await transaction.query(
    `with locked as (
       select id from analyses where master_image_id is not null order by id for update)
     select count(*) from locked`
  )
}

function executeCommand(
  queue: 'masterImageBuilder' | 'masterImageSynchronizer',
  { requestId }: Origin,
  run: string,
  data: Record<string, unknown>
): Message {
  return newMessage(commandRouting(COMMAND_QUEUES[queue]), 'execute', data, { requestId, run })
}
