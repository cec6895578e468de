import vine from '@vinejs/vine'

import { body } from '#kernel/body'
import { LOG_CHANNELS, LOG_LEVELS } from '#records/log_lines'
import { utcTime } from '#telemetry/utc_time'
import { faultOfLabel, LABEL_SHAPE } from './reserved_labels.js'

const LABEL_NAME = {
  pattern: '^[^_]',
  description: 'The name of a label begins with anything but _',
}

const named = vine.createRule(
  function labels(value, _options: undefined, field) {
    const names = Object.keys(value as object)
    const fault =
      names.length > LABEL_SHAPE.most
        ? `A line has at most ${LABEL_SHAPE.most} labels`
        : names.map(faultOfLabel).find((one) => one !== undefined)
    if (fault !== undefined) {
      field.report(fault, 'labels', field)
    }
  },
  { toJSONSchema: (schema) => Object.assign(schema, { propertyNames: LABEL_NAME }) }
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
