import { instantOf } from '#telemetry/logs/instant'
import { uniqueOf } from '#telemetry/logs/line_key'
import type { LogFilter } from '#telemetry/logs/log_filter'
import type { LogLine } from '#telemetry/logs/log_line'
import { KEY_LABEL } from '#telemetry/logs/reserved_labels'
import { keyOfFields } from './fields.js'
import { allOf, keyEndingWith, keysBetween, logsqlOf } from './logsql.js'
import type { VictoriaLogsServer } from './server.js'

/** Sorts after every character of a key. */
const KEY_END = '~'
const LINES_PER_QUERY = 50
const KEY_FIELDS = ` | fields ${KEY_LABEL}`

interface KeyedLine {
  readonly line: LogLine
}

/** The lines whose keys are not visible on the server. */
export async function findInvisible<Line extends KeyedLine>(
  server: VictoriaLogsServer,
  lines: readonly Line[]
): Promise<Line[]> {
  if (lines.length === 0) {
    return []
  }
  const keys = lines.map(({ line }) => line.key).toSorted()
  const filter = allOf([
    keysBetween(keys[0]!, `${keys.at(-1)!}${KEY_END}`),
    logsqlOf(spanOf(lines)),
  ])
  const rows = await server.query(filter + KEY_FIELDS)
  const visible = new Set(rows.map(keyOfFields))
  return lines.filter(({ line }) => !visible.has(line.key))
}

/** The lines of which no delivery is visible: redelivered lines have other keys with the same unique part. */
export async function findNeverStored(
  server: VictoriaLogsServer,
  lines: readonly LogLine[]
): Promise<LogLine[]> {
  const visible = new Set<string>()
  for (let start = 0; start < lines.length; start += LINES_PER_QUERY) {
    const filter = lines
      .slice(start, start + LINES_PER_QUERY)
      .map(
        (line) =>
          `(${allOf([logsqlOf(spanOf([{ line }])), keyEndingWith(`-${uniqueOf(line.key)}`)])})`
      )
    const rows = await server.query(`(${filter.join(' OR ')})${KEY_FIELDS}`)
    rows.forEach((fields) => visible.add(uniqueOf(keyOfFields(fields))))
  }
  return lines.filter(({ key }) => !visible.has(uniqueOf(key)))
}

function spanOf(lines: readonly KeyedLine[]): LogFilter {
  const times = lines.map(({ line }) => Date.parse(line.time))
  const [first, last] = times.reduce(
    ([low, high], time) => [Math.min(low, time), Math.max(high, time)],
    [Infinity, -Infinity]
  )
  return {
    kind: 'and',
    filters: [
      { kind: 'time', op: '>=', at: instantOf(first) },
      { kind: 'time', op: '<=', at: instantOf(last) },
    ],
  }
}
