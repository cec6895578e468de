import vine from '@vinejs/vine'

import { body } from '#kernel/body'
import { LOG_LEVELS } from '#records/log_lines'
import { id } from '#records/rules'

const word = () => vine.string().minLength(3).maxLength(64).nullable().optional()

/** A log line of a node about an analysis. Realms are optional and have to match the records. */
export const analysisNodeLogBody = body({
  analysisId: id(),
  nodeId: id(),
  nodeRealmId: id().nullable().optional(),
  analysisRealmId: id().nullable().optional(),
  message: vine.string().minLength(3).maxLength(2_048).optional(),
  level: vine.enum(LOG_LEVELS).optional(),
  status: word(),
  code: word(),
  labels: vine.record(vine.string()).nullable().optional(),
})

export type AnalysisNodeLogBody = Awaited<ReturnType<typeof analysisNodeLogBody.validate>>
