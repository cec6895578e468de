import { LOG_CHANNELS, LOG_LEVELS } from '#records/log_lines'
import { recordOf, type LogLine, type LogRecord } from '#telemetry/logs/log_line'
import { KEY_LABEL } from '#telemetry/logs/reserved_labels'
import type { Fields } from './server.js'

/** A line in the format of the server: labels beside the fields, which take precedence. */
export function fieldsOf({ key, time, message, level, service, channel, labels }: LogLine): string {
  return JSON.stringify({
    ...labels,
    _time: time,
    _msg: message,
    level,
    service,
    channel,
    [KEY_LABEL]: key,
  })
}

/** The record of a line, which another program may have written. */
export function recordFrom({
  _time,
  _msg,
  level,
  service,
  channel,
  [KEY_LABEL]: _key,
  ...others
}: Fields): LogRecord {
  const labels = Object.entries(others).filter(([name]) => !name.startsWith('_'))
  return recordOf({
    time: new Date(_time ?? 0).toISOString(),
    message: _msg ?? '',
    level: known(LOG_LEVELS, level) ?? 'info',
    service: service ?? 'unknown',
    channel: known(LOG_CHANNELS, channel) ?? 'system',
    labels: Object.fromEntries(labels),
  })
}

export const keyOfFields = (fields: Fields): string => fields[KEY_LABEL] ?? ''

function known<Value extends string>(
  values: readonly Value[],
  text: string | undefined
): Value | undefined {
  return values.find((value) => value === text)
}
