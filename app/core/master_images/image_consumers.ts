import vine from '@vinejs/vine'

import { defineConsumer, type Handler } from '#bus/consumer'
import { MalformedMessage } from '#bus/errors'
import { EVENT_KEYS } from '#bus/names'
import { serviceHandler, type ServiceMessage } from '#core/service_handler'
import { readPercent, workerReportRules } from '#core/worker_report'
import { body } from '#kernel/body'
import { CATALOGUE, isCurrentImageRun } from './image_runs.js'
import {
  MasterImageService,
  type ImageEvent,
  type RepositoryContent,
} from './master_image_service.js'

const REPORTS = [
  'executionStarted',
  'executionProgress',
  'executionFinished',
  'executionFailed',
] as const satisfies readonly ImageEvent[]

const report = body({
  ...workerReportRules,
  hash: vine.string().maxLength(135).nullable().optional(),
  size: vine.number().withoutDecimals().min(0).nullable().optional(),
})

const text = (max: number) => vine.string().minLength(1).maxLength(max)
const entry = { name: text(256), path: text(512), virtualPath: text(512) }
const catalogue = body({
  images: vine.array(
    vine.object({
      ...entry,
      hash: vine.string().maxLength(135).nullable().optional(),
      size: vine.number().withoutDecimals().min(0).nullable().optional(),
      command: vine.string().maxLength(256).nullable().optional(),
      commandArguments: vine
        .array(
          vine.object({
            value: text(512),
            position: vine.enum(['before', 'after']).nullable().optional(),
          })
        )
        .nullable()
        .optional(),
    })
  ),
  groups: vine.array(vine.object(entry)),
})

const anything = body({})

/** Applies the reports of workers that build images. */
export const imageBuildConsumer = defineConsumer({
  queue: `core.${EVENT_KEYS.masterImageBuilder}`,
  events: [EVENT_KEYS.masterImageBuilder],
  surface: 'core',
  prefetch: 20,
  recordOf: ({ data }) => String(data.id),
  handlers: Object.fromEntries(REPORTS.map((name) => [name, applyReport(name)])),
})

/** Replaces the records of images and groups by those of the repository. */
export const imageCatalogueConsumer = defineConsumer({
  queue: `core.${EVENT_KEYS.masterImageSynchronizer}`,
  events: [EVENT_KEYS.masterImageSynchronizer],
  surface: 'core',
  prefetch: 1,
  recordOf: () => 'catalogue',
  handlers: {
    executionStarted: recordSynchronization('executionStarted'),
    executionFinished: serviceHandler(catalogue, MasterImageService, replaceCatalogue),
    executionFailed: recordSynchronization('executionFailed'),
  },
})

function applyReport(name: ImageEvent): Handler {
  return serviceHandler(
    report,
    MasterImageService,
    async (images, { transaction, origin, content, message }) => {
      if (await isCurrentImageRun(transaction, content.id, message)) {
        await images.applyReport(transaction, origin, {
          id: content.id,
          report: name,
          percent: readPercent(content),
          hash: content.hash ?? null,
          size: content.size ?? null,
        })
      }
    }
  )
}

/** An empty catalogue more likely means that the repository could not be read. */
async function replaceCatalogue(
  images: MasterImageService,
  { transaction, origin, content, message }: ServiceMessage<RepositoryContent>
): Promise<void> {
  if (!(await isCurrentImageRun(transaction, CATALOGUE, message))) {
    return
  }
  if (content.images.length === 0) {
    throw new MalformedMessage('the catalogue lists no images, so no image is removed')
  }
  await images.replaceCatalogue(transaction, origin, content)
}

function recordSynchronization(name: ImageEvent): Handler {
  return serviceHandler(anything, MasterImageService, async (images, { transaction, message }) => {
    if (await isCurrentImageRun(transaction, CATALOGUE, message)) {
      await images.recordSynchronization(transaction, name)
    }
  })
}
