import type { Instant } from './instant.js'
import { LOG_FIELDS, type OwnedRecord } from './log_line.js'
import { REALMS_FIELD, realmsText } from './owner_fields.js'
import { instantOf } from './instant.js'

/**
 * A filter of lines. Text is compared exactly, case included. A filter and its negation match every line together.
 */
export type LogFilter =
  | { readonly kind: 'and' | 'or'; readonly filters: readonly LogFilter[] }
  | { readonly kind: 'not'; readonly filter: LogFilter }
  | LabelFilter
  | TimeFilter

/** A label or a field. A line without the label has the value ''. */
export type LabelFilter =
  | { readonly kind: 'oneOf'; readonly name: string; readonly values: readonly string[] }
  | { readonly kind: Match; readonly name: string; readonly text: string }

type Match = 'contains' | 'startsWith' | 'endsWith'

export interface TimeFilter {
  readonly kind: 'time'
  readonly op: '>=' | '>' | '<=' | '<'
  readonly at: Instant
}

const FIELDS: ReadonlySet<string> = new Set(LOG_FIELDS)

const isField = (name: string): name is (typeof LOG_FIELDS)[number] => FIELDS.has(name)

/** Whether a line matches the filter. */
export function matches(filter: LogFilter, line: OwnedRecord): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.filters.every((each) => matches(each, line))
    case 'or':
      return filter.filters.some((each) => matches(each, line))
    case 'not':
      return !matches(filter.filter, line)
    case 'time':
      return matchesTime(filter, instantOf(Date.parse(line.time)))
    default:
      return matchesValue(filter, valueIn(line, filter.name))
  }
}

/** Whether a value matches the filter. */
function matchesValue(filter: LabelFilter, value: string): boolean {
  switch (filter.kind) {
    case 'oneOf':
      return filter.values.includes(value)
    case 'contains':
      return value.includes(filter.text)
    case 'startsWith':
      return value.startsWith(filter.text)
    case 'endsWith':
      return value.endsWith(filter.text)
  }
}

function matchesTime({ op, at }: TimeFilter, instant: Instant): boolean {
  switch (op) {
    case '>=':
      return instant >= at
    case '>':
      return instant > at
    case '<=':
      return instant <= at
    case '<':
      return instant < at
  }
}

function valueIn(line: OwnedRecord, name: string): string {
  if (name === REALMS_FIELD) {
    return realmsText(line.owner)
  }
  if (isField(name)) {
    return line[name]
  }
  return Object.hasOwn(line.labels, name) ? line.labels[name]! : ''
}
