import vine from '@vinejs/vine'

import { body } from '#kernel/body'
import { LOG_CHANNELS, LOG_LEVELS } from '#records/log_lines'
import { isLabelName, LABEL_NAME } from '#query/label_name'
import { utcTime } from '#telemetry/utc_time'
import { MOST_LABELS } from './reserved_labels.js'

const NAMES = { pattern: LABEL_NAME.pattern, description: LABEL_NAME.rule }

const named = vine.createRule(
  function labels(value, _options: undefined, field) {
    const names = Object.keys(value as object)
    const fault =
      names.length > MOST_LABELS
        ? `A line has at most ${MOST_LABELS} labels`
        : !names.every(isLabelName) && LABEL_NAME.rule
    if (fault) {
      field.report(fault, 'labels', field)
    }
  },
  { toJSONSchema: (schema) => Object.assign(schema, { propertyNames: NAMES }) }
)

/** What somebody sends as a log line. */
export const logBody = body({
  message: vine.string().minLength(3).maxLength(4_096),
  service: vine.string().minLength(3).maxLength(64),
  level: vine.enum(LOG_LEVELS),
  channel: vine.enum(LOG_CHANNELS),
  time: utcTime().optional(),
  labels: vine.record(vine.string()).use(named()).nullable().optional(),
})

export type LogBody = Awaited<ReturnType<typeof logBody.validate>>
