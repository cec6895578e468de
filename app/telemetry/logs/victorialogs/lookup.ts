import { instantOf } from '#telemetry/logs/instant'
import { uniqueOf } from '#telemetry/logs/line_key'
import type { LogFilter } from '#telemetry/logs/log_filter'
import type { LogLine } from '#telemetry/logs/log_line'
import { KEY_LABEL } from '#telemetry/logs/reserved_labels'
import { keyIn } from './fields.js'
import { allOf, keyEndingWith, keysBetween, logsqlOf } from './logsql.js'
import type { VictoriaLogsServer } from './server.js'

/** Follows whatever a key can end with. */
const AFTER_ALL = '~'
const ASKED_AT_ONCE = 50
const SHOWN = ` | fields ${KEY_LABEL}`

interface Sent {
  readonly line: LogLine
}

/** Those of the lines that the server does not show under their keys. */
export async function notShown<Line extends Sent>(
  server: VictoriaLogsServer,
  lines: readonly Line[]
): Promise<Line[]> {
  if (lines.length === 0) {
    return []
  }
  const keys = lines.map(({ line }) => line.key).toSorted()
  const asked = allOf([
    keysBetween(keys[0]!, `${keys.at(-1)!}${AFTER_ALL}`),
    logsqlOf(spanOf(lines)),
  ])
  const found = await server.query(asked + SHOWN)
  const shown = new Set(found.map(keyIn))
  return lines.filter(({ line }) => !shown.has(line.key))
}

/** Those of the lines that the server shows under no key: what comes once more has another one, with the same ending. */
export async function neverShown(
  server: VictoriaLogsServer,
  lines: readonly LogLine[]
): Promise<LogLine[]> {
  const shown = new Set<string>()
  for (let start = 0; start < lines.length; start += ASKED_AT_ONCE) {
    const asked = lines
      .slice(start, start + ASKED_AT_ONCE)
      .map(
        (line) =>
          `(${allOf([logsqlOf(spanOf([{ line }])), keyEndingWith(`-${uniqueOf(line.key)}`)])})`
      )
    const found = await server.query(`(${asked.join(' OR ')})${SHOWN}`)
    found.forEach((fields) => shown.add(uniqueOf(keyIn(fields))))
  }
  return lines.filter(({ key }) => !shown.has(uniqueOf(key)))
}

function spanOf(lines: readonly Sent[]): LogFilter {
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
