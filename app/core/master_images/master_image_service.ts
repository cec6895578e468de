import type pg from 'pg'

import { analysis } from '#core/analyses/analysis'
import { AnalysisUpkeep } from '#core/analyses/analysis_upkeep'
import { MASTER_IMAGE_SOURCE } from '#core/master_images/master_image_source'
import { isUuid } from '#kernel/is_uuid'
import { newMessage, type Message } from '#bus/message'
import { COMMAND_QUEUES, commandTo } from '#bus/names'
import { enforce } from '#kernel/access'
import { EntityNotFound } from '#kernel/failures'
import { writeCommand } from '#outbox/write'
import type { Origin } from '#kernel/origin'
import type { Kind, Values } from '#records/kind'
import { RecordService, type RecordServiceOptions } from '#records/record_service'
import { inTransaction } from '#records/transaction'

/**
 * Images, which workers build and synchronize with their repository. What a worker is asked to do is sent once it is kept
 * here that it was asked.
 */
export class MasterImageService extends RecordService {
  readonly #analyses: RecordService
  readonly #upkeep: AnalysisUpkeep

  constructor(kind: Kind, options: RecordServiceOptions) {
    super(kind, options)
    this.#analyses = new RecordService(analysis, options)
    this.#upkeep = new AnalysisUpkeep(options)
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
      const image = isUuid(id) && (await this.store.lock(transaction, id))
      if (!image) {
        throw new EntityNotFound(this.kind.label)
      }
      const command = execute('masterImageBuilder', { id: image.id })
      await writeCommand(transaction, command, `masterImage/${image.id}`)
      return this.updateWithin(transaction, origin, id, { buildStatus: 'starting' })
    })
    return data
  }

  /** Analyses that were to run on the image have none from now on. */
  protected override async inRemoval(
    transaction: pg.ClientBase,
    origin: Origin,
    previous: Values
  ): Promise<void> {
    const { rows } = await transaction.query<{ id: string }>(
      'select id from analyses where master_image_id = $1 order by id for update',
      [previous.id]
    )
    const none = {
      masterImageId: null,
      imageCommandArguments: null,
      configurationImageValid: false,
    }
    for (const { id } of rows) {
      await this.#analyses.updateWithin(transaction, origin, id, none)
      await this.#upkeep.followContent(transaction, origin, id, ['masterImageId'])
    }
  }
}

function execute(
  queue: 'masterImageBuilder' | 'masterImageSynchronizer',
  data: Record<string, unknown>
): Message {
  return newMessage(commandTo(COMMAND_QUEUES[queue]), 'execute', data)
}
