import vine from '@vinejs/vine'

import { body } from '#kernel/body'
import { LOG_CHANNELS, LOG_LEVELS } from '#records/log_lines'
import { isLabelName, LABEL_NAME } from '#query/label_name'
import { utcTime } from '#telemetry/utc_time'
import { MAX_LABELS } from './reserved_labels.js'

const NAMES = { pattern: LABEL_NAME.pattern, description: LABEL_NAME.rule }

const labelNames = vine.createRule(
  function labels(value, _options: undefined, field) {
    const names = Object.keys(value as object)
    const problem =
      names.length > MAX_LABELS
        ? `A line has at most ${MAX_LABELS} labels`
        : !names.every(isLabelName) && LABEL_NAME.rule
    if (problem) {
      field.report(problem, 'labels', field)
    }
  },
  { toJSONSchema: (schema) => Object.assign(schema, { propertyNames: NAMES }) }
)

/** The body of a log line. */
export const logBody = body({
  message: vine.string().minLength(3).maxLength(4_096),
  service: vine.string().minLength(3).maxLength(64),
  level: vine.enum(LOG_LEVELS),
  channel: vine.enum(LOG_CHANNELS),
  time: utcTime().optional(),
  labels: vine.record(vine.string()).use(labelNames()).nullable().optional(),
})

export type LogBody = Awaited<ReturnType<typeof logBody.validate>>
