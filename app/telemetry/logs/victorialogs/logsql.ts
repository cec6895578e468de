import { isoOf } from '#telemetry/logs/instant'
import type { LabelFilter, LogFilter, TimeFilter } from '#telemetry/logs/log_filter'
import { KEY_LABEL } from '#telemetry/logs/reserved_labels'

const EVERYTHING = '*'
const NOTHING = `${JSON.stringify(KEY_LABEL)}:in()`

const OPPOSITE = { '>=': '<', '>': '<=', '<=': '>', '<': '>=' } as const

/** The filter in LogsQL. Negations are pushed down to labels, where they also match lines without the label. */
export function logsqlOf(filter: LogFilter, isNegated = false): string {
  switch (filter.kind) {
    case 'and':
    case 'or': {
      const parts = filter.filters.map((each) => logsqlOf(each, isNegated))
      return (filter.kind === 'and') === isNegated ? anyOf(parts) : allOf(parts)
    }
    case 'not':
      return logsqlOf(filter.filter, !isNegated)
    case 'time':
      return timeBound(filter, isNegated)
    case 'oneOf':
      return isNegated ? noneOf(filter) : oneOf(filter)
    default:
      return matching(filter, isNegated)
  }
}

export function allOf(parts: readonly string[]): string {
  const restrictions = parts.filter((part) => part !== EVERYTHING)
  if (restrictions.includes(NOTHING)) {
    return NOTHING
  }
  return joined(restrictions, ' AND ', EVERYTHING)
}

/** Quotes a text; LogsQL uses the escapes of JSON. */
function quoted(text: string): string {
  return JSON.stringify(text.toWellFormed())
}

/** Lines with keys from the first up to, but excluding, the end. */
export function keysBetween(first: string, end: string): string {
  return `${quoted(KEY_LABEL)}:string_range(${quoted(first)},${quoted(end)})`
}

/** Lines whose key ends with a text. */
export function keyEndingWith(text: string): string {
  return `${quoted(KEY_LABEL)}:~${quoted(`${escapeRegExp(text)}$`)}`
}

function anyOf(parts: readonly string[]): string {
  if (parts.includes(EVERYTHING)) {
    return EVERYTHING
  }
  return joined(
    parts.filter((part) => part !== NOTHING),
    ' OR ',
    NOTHING
  )
}

function joined(parts: readonly string[], glue: string, none: string): string {
  return parts.length > 1 ? `(${parts.join(glue)})` : (parts[0] ?? none)
}

/** Nine digits: with fewer, the server extends an end to the end of its second. */
function timeBound({ op, at }: TimeFilter, isNegated: boolean): string {
  return `_time:${isNegated ? OPPOSITE[op] : op}${isoOf(at)}`
}

function oneOf({ name, values }: LabelFilter & { kind: 'oneOf' }): string {
  const given = values.filter((value) => value !== '')
  const parts = given.length > 0 ? [`${quoted(name)}:${equalToAny(given)}`] : []
  return anyOf(given.length < values.length ? [`${quoted(name)}:=""`, ...parts] : parts)
}

function noneOf({ name, values }: LabelFilter & { kind: 'oneOf' }): string {
  const given = values.filter((value) => value !== '')
  const parts = given.length > 0 ? [`!${quoted(name)}:${equalToAny(given)}`] : []
  return allOf(given.length < values.length ? [`${quoted(name)}:*`, ...parts] : parts)
}

function equalToAny(values: readonly string[]): string {
  return values.length === 1 ? `=${quoted(values[0]!)}` : `in(${values.map(quoted).join(',')})`
}

function matching(filter: Exclude<LabelFilter, { kind: 'oneOf' }>, isNegated: boolean): string {
  const { kind, name, text } = filter
  if (text === '') {
    return isNegated ? NOTHING : EVERYTHING
  }
  const test = {
    contains: `~${quoted(escapeRegExp(text))}`,
    startsWith: `=${quoted(text)}*`,
    endsWith: `~${quoted(`${escapeRegExp(text)}$`)}`,
  }[kind]
  return `${isNegated ? '!' : ''}${quoted(name)}:${test}`
}

/** Escapes a text for a regular expression. */
function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}
