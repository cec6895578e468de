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

export type LineTest = (line: OwnedRecord) => boolean

/** A test for many lines: what depends on the filter alone is done once. */
export function testOf(filter: LogFilter): LineTest {
  switch (filter.kind) {
    case 'and': {
      const tests = filter.filters.map(testOf)
      return (line) => tests.every((test) => test(line))
    }
    case 'or': {
      const tests = filter.filters.map(testOf)
      return (line) => tests.some((test) => test(line))
    }
    case 'not': {
      const test = testOf(filter.filter)
      return (line) => !test(line)
    }
    case 'time':
      return timeTest(filter)
    default: {
      const [valueOf, test] = [reader(filter.name), valueTest(filter)]
      return (line) => test(valueOf(line))
    }
  }
}

function valueTest(filter: LabelFilter): (value: string) => boolean {
  switch (filter.kind) {
    case 'oneOf':
      return (value) => filter.values.includes(value)
    case 'contains':
      return (value) => value.includes(filter.text)
    case 'startsWith':
      return (value) => value.startsWith(filter.text)
    case 'endsWith':
      return (value) => value.endsWith(filter.text)
  }
}

function timeTest({ op, at }: TimeFilter): LineTest {
  const compare = COMPARISONS[op]
  return ({ time }) => compare(instantOf(Date.parse(time)), at)
}

const COMPARISONS: Readonly<Record<TimeFilter['op'], (instant: Instant, at: Instant) => boolean>> =
  {
    '>=': (instant, at) => instant >= at,
    '>': (instant, at) => instant > at,
    '<=': (instant, at) => instant <= at,
    '<': (instant, at) => instant < at,
  }

function reader(name: string): (line: OwnedRecord) => string {
  if (name === REALMS_FIELD) {
    return ({ owner }) => realmsText(owner)
  }
  if (isField(name)) {
    return (line) => line[name]
  }
  return ({ labels }) => (Object.hasOwn(labels, name) ? labels[name]! : '')
}
