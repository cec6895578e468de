import { instantOf, isoOf, parseInstant, type Instant } from '#telemetry/logs/instant'

import type { Node, Pipe, Query } from './logsql_parser.js'

/** A line as the server keeps it. */
export interface KeptLine {
  readonly fields: ReadonlyMap<string, string>
  readonly time: Instant
  readonly timeText: string
  readonly takenAt: number
}

const STREAM_FIELDS = ['channel', 'service']
const SECOND = 1_000_000_000n

/** The answer to a query, a row of fields for each line. */
export function answerTo(
  { filter, pipes }: Query,
  lines: readonly KeptLine[]
): Record<string, string>[] {
  let rows = lines.filter((line) => holds(filter, line)).map(rowOf)
  for (const pipe of pipes) {
    rows = piped(pipe, rows)
  }
  return rows
}

export function holds(node: Node, line: KeptLine): boolean {
  switch (node.kind) {
    case 'and':
      return node.parts.every((part) => holds(part, line))
    case 'or':
      return node.parts.some((part) => holds(part, line))
    case 'not':
      return !holds(node.part, line)
    case 'everything':
      return true
    case 'stream':
      return node.fields.every(([name, value]) => line.fields.get(name) === value)
    case 'time':
      return isWithin(node, line.time)
    default:
      return passes(node, line.fields.get(node.name) ?? '')
  }
}

function passes({ kind, values }: Extract<Node, { values: string[] }>, value: string): boolean {
  const [first = '', second = ''] = values
  switch (kind) {
    case 'equal':
      return value === first
    case 'startsWith':
      return value.startsWith(first)
    case 'in':
      return value !== '' && values.includes(value)
    case 'matches':
      return expression(first).test(value)
    case 'present':
      return value !== ''
    case 'absent':
      return value === ''
    case 'between':
      return value >= first && value < second
    case 'word':
      return new RegExp(`(^|\\W)${RegExp.escape(first)}(\\W|$)`).test(value)
    case 'wordStart':
      return new RegExp(`(^|\\W)${RegExp.escape(first)}`).test(value)
  }
}

/** RE2's quotes and its flags in front are not known to ours. */
function expression(source: string): RegExp {
  const plain = source.replace(/\\Q(.*?)\\E/gs, (_, text: string) => RegExp.escape(text))
  const isAnyCase = plain.startsWith('(?i)')
  return new RegExp(isAnyCase ? plain.slice(4) : plain, isAnyCase ? 'is' : 's')
}

/** An end without a fraction is that of its second. */
function isWithin(node: Extract<Node, { kind: 'time' }>, time: Instant): boolean {
  const first = parseInstant(node.first)!
  const lastOf = (text: string) => parseInstant(text)! + (text.includes('.') ? 0n : SECOND - 1n)
  switch (node.op) {
    case '>=':
      return time >= first
    case '>':
      return time > first
    case '<':
      return time < first
    case '<=':
      return time <= lastOf(node.first)
    default: {
      const isAfter = node.op === '[' ? time >= first : time > lastOf(node.first)
      const isBefore =
        node.closing === ']' ? time <= lastOf(node.second!) : time < parseInstant(node.second!)!
      return isAfter && isBefore
    }
  }
}

function rowOf({ fields, timeText }: KeptLine): Record<string, string> {
  const stream = STREAM_FIELDS.filter((name) => fields.has(name)).map(
    (name) => `${name}=${JSON.stringify(fields.get(name))}`
  )
  const { _msg: message, ...others } = Object.fromEntries(fields)
  return {
    _time: timeText,
    _stream_id: '0000000000000000e934a84adb05276890d7f7bfcadabe92',
    _stream: `{${stream.join(',')}}`,
    _msg: message!,
    ...Object.fromEntries(Object.entries(others).toSorted()),
  }
}

function piped(pipe: Pipe, rows: Record<string, string>[]): Record<string, string>[] {
  switch (pipe.kind) {
    case 'count':
      return pipe.step === undefined
        ? [{ [pipe.as]: String(rows.length) }]
        : countedBy(SECONDS[pipe.step]!, pipe.as, rows)
    case 'fields':
      return rows.map((row) =>
        Object.fromEntries(pipe.names.flatMap((name) => (row[name] ? [[name, row[name]]] : [])))
      )
    case 'sort': {
      const { by, offset = 0, limit = Infinity } = pipe
      // Lines that are equal in all of these come in another order each time.
      const shuffled = rows.toSorted(() => Math.random() - 0.5)
      return shuffled
        .toSorted((one, other) => {
          for (const { name, isDescending } of by) {
            const order = compared(valueIn(one, name), valueIn(other, name))
            if (order !== 0) {
              return isDescending ? -order : order
            }
          }
          return 0
        })
        .slice(offset, offset + limit)
    }
  }
}

const SECONDS: Readonly<Record<string, bigint>> = { '1h': 3_600n, '1m': 60n, '1s': 1n }

/** In no order, as there. */
function countedBy(seconds: bigint, as: string, rows: readonly Record<string, string>[]) {
  const counts = new Map<bigint, number>()
  for (const row of rows) {
    const time = parseInstant(row._time!)!
    const begin = time - (time % (seconds * SECOND))
    counts.set(begin, (counts.get(begin) ?? 0) + 1)
  }
  return [...counts]
    .toSorted(() => Math.random() - 0.5)
    .map(([begin, count]) => ({
      _time: isoOf(begin).replace(/\.0+Z$/, 'Z'),
      [as]: String(count),
    }))
}

const valueIn = (row: Record<string, string>, name: string) =>
  name === '_time' ? (parseInstant(row[name]!) ?? instantOf(0)) : (row[name] ?? '')

function compared<Value extends string | bigint>(one: Value, other: Value): number {
  return one < other ? -1 : one > other ? 1 : 0
}
