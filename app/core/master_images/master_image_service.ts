import type pg from 'pg'

import type { AnalysisService } from '#core/analyses/analysis_service'
import { masterImage, type MasterImage } from './master_image.js'
import { MASTER_IMAGE_SOURCE } from './master_image_source.js'
import { newMessage, type Message } from '#bus/message'
import { COMMAND_QUEUES, commandTo } from '#bus/names'
import { enforce } from '#kernel/access'
import { writeCommand } from '#outbox/write'
import type { Origin } from '#kernel/origin'
import { RecordService, type RecordServiceOptions } from '#records/record_service'
import { inTransaction } from '#records/transaction'

/**
 * Images, which workers build and synchronize with their repository. What a worker is asked to do is sent once it is kept
 * here that it was asked.
 */
export class MasterImageService extends RecordService<typeof MasterImage> {
  readonly #analyses: AnalysisService

  constructor(options: RecordServiceOptions, analyses: AnalysisService) {
    super(masterImage, options)
    this.#analyses = analyses
  }

  /** Has the images and groups of the repository taken over. */
  async synchronize({ actor }: Origin): Promise<void> {
    enforce(this.kind.access.remove!, actor)
    const { owner, repository } = MASTER_IMAGE_SOURCE
    const command = execute('masterImageSynchronizer', { ...MASTER_IMAGE_SOURCE })
    await inTransaction(this.pool, (transaction) =>
      writeCommand(transaction, command, `masterImageSource/${owner}/${repository}`)
    )
  }

  /** Has an image built; answers it as it is now. */
  async build(origin: Origin, id: string): Promise<string> {
    enforce(this.kind.access.remove!, origin.actor)
    const { data } = await inTransaction(this.pool, async (transaction) => {
      const image = await this.lock(transaction, id)
      const command = execute('masterImageBuilder', { id: image.id })
      await writeCommand(transaction, command, `masterImage/${image.id}`)
      return this.change(transaction, origin, image, { buildStatus: 'starting' })
    })
    return data
  }

  /** Analyses that were to run on the image have none from now on. */
  override async remove(origin: Origin, id: string): Promise<string> {
    enforce(this.kind.access.remove!, origin.actor)
    const { data } = await inTransaction(this.pool, async (transaction) => {
      const previous = await this.lockFor(origin, transaction, id)
      for (const analysisId of await lockAnalysesOn(transaction, previous.id)) {
        await this.#analyses.leaveImage(transaction, origin, analysisId)
      }
      return this.removeRecord(transaction, origin, previous)
    })
    return data
  }
}

async function lockAnalysesOn(transaction: pg.ClientBase, imageId: string): Promise<string[]> {
  const { rows } = await transaction.query<{ id: string }>(
    'select id from analyses where master_image_id = $1 order by id for update',
    [imageId]
  )
  return rows.map(({ id }) => id)
}

function execute(
  queue: 'masterImageBuilder' | 'masterImageSynchronizer',
  data: Record<string, unknown>
): Message {
  return newMessage(commandTo(COMMAND_QUEUES[queue]), 'execute', data)
}
