import { LOG_CHANNELS, LOG_LEVELS } from '#records/log_lines'
import { tryParseJson } from '#kernel/try_parse_json'
import type { Reporter } from '#telemetry/events/reporter'
import { recordOf, type LineOwner, type LogLine, type OwnedRecord } from '#telemetry/logs/log_line'
import {
  realmsOfText,
  realmsText,
  REALMS_FIELD,
  REPORTER_FIELD,
} from '#telemetry/logs/owner_fields'
import { KEY_LABEL } from '#telemetry/logs/reserved_labels'
import type { Fields } from './server.js'

/** A line in the format of the server: labels beside the fields, which take precedence. */
export function fieldsOf(line: LogLine): string {
  const { key, time, message, level, service, channel, labels, owner } = line
  return JSON.stringify({
    ...labels,
    _time: time,
    _msg: message,
    level,
    service,
    channel,
    [KEY_LABEL]: key,
    ...(owner && {
      [REALMS_FIELD]: realmsText(owner),
      [REPORTER_FIELD]: JSON.stringify(owner.reportedBy),
    }),
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
}: Fields): OwnedRecord {
  const labels = Object.entries(others).filter(([name]) => !name.startsWith('_'))
  const record = recordOf({
    time: new Date(_time ?? 0).toISOString(),
    message: _msg ?? '',
    level: known(LOG_LEVELS, level) ?? 'info',
    service: service ?? 'unknown',
    channel: known(LOG_CHANNELS, channel) ?? 'system',
    labels: Object.fromEntries(labels),
  })
  return { ...record, owner: ownerFrom(others) }
}

/** Lines of earlier releases, and of other programs, have no owner. */
function ownerFrom({
  [REALMS_FIELD]: realms = '',
  [REPORTER_FIELD]: reporter,
}: Fields): LineOwner | undefined {
  const reportedBy = reporter === undefined ? undefined : tryParseJson(reporter)
  return reportedBy === undefined
    ? undefined
    : { reportedBy: reportedBy as Reporter, realms: realmsOfText(realms) }
}

export const keyOfFields = (fields: Fields): string => fields[KEY_LABEL] ?? ''

function known<Value extends string>(
  values: readonly Value[],
  text: string | undefined
): Value | undefined {
  return values.find((value) => value === text)
}
