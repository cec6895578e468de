import fc from 'fast-check'

import { anyText } from '#tests/helpers/query/any_text'
import { specimenId } from './specimens.js'

/** A filter that can be written in both dialects. */
export interface Test {
  key: string
  op: 'eq' | 'in' | 'lt' | 'lte' | 'gt' | 'gte' | 'contains' | 'startsWith' | 'endsWith'
  values: string[]
}

export type Tree = Test | { and: Tree[] } | { or: Tree[] } | { not: Tree }

const IDS = Array.from({ length: 12 }, (_, number) => specimenId(number))
const VALUES: Record<string, string[]> = {
  id: [...IDS, 'malformed'],
  label: ['alpha', 'ALPHA', '007', '7', 'true', '50%', 'a_b', 'a\\b', "it's", 'x'],
  flag: ['true', 'false', '1', '0', 'maybe'],
  count: ['0', '1', '2', '3', '4', '1.5', '-1', '1e400', 'x'],
  bytes: ['9007199254740993', '9007199254740994', '9'.repeat(30)],
  ratio: ['0', '0.25', '0.5', '1.75', 'x'],
  seenAt: ['2024-01-02', '2024-01-03T00:00:00Z', '2024-02-30', 'soon'],
  parentId: [...IDS, 'malformed'],
  children: ['0', '1', '2', 'x'],
}
const KEYS = Object.keys(VALUES)

function valueOf(key: string): fc.Arbitrary<string> {
  const values = VALUES[key.replace('parent.', '')]!
  return fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...values) }, fc.constant('null'))
}

const key = fc.constantFrom(...KEYS, 'parent.label', 'parent.count', 'parent.flag')

/** Compares one key with one value or several. */
const comparison: fc.Arbitrary<Test> = key.chain((name) =>
  fc.oneof(
    fc.record({
      key: fc.constant(name),
      op: fc.constantFrom('eq' as const, 'eq', 'lt', 'lte', 'gt', 'gte'),
      values: fc.array(valueOf(name), { minLength: 1, maxLength: 1 }),
    }),
    fc.record({
      key: fc.constant(name),
      op: fc.constant('in' as const),
      values: fc.array(valueOf(name), { maxLength: 4 }),
    })
  )
)

const match: fc.Arbitrary<Test> = fc.record({
  key: fc.constantFrom('label', 'parent.label'),
  op: fc.constantFrom('contains' as const, 'startsWith', 'endsWith'),
  values: fc.constantFrom('a', 'AL', '%', '_', '\\', '0', "'", 'bet').map((value) => [value]),
})

export const singleTest: fc.Arbitrary<Test> = fc.oneof({ weight: 3, arbitrary: comparison }, match)

export const tree: fc.Arbitrary<Tree> = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    singleTest,
    fc.record({ and: fc.array(tie('tree'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ or: fc.array(tie('tree'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ not: tie('tree') })
  ),
})).tree

/** Writes a filter in the expression form. */
export function expression(filter: Tree): string {
  if ('not' in filter) {
    return `not(${expression(filter.not)})`
  }
  if ('and' in filter) {
    return `and(${filter.and.map(expression).join(',')})`
  }
  if ('or' in filter) {
    return `or(${filter.or.map(expression).join(',')})`
  }
  const values = filter.values.map((value) => `'${value.replaceAll("'", "''")}'`)
  return `${filter.op}(${[filter.key, ...values].join(',')})`
}

/** Writes one comparison in brackets. */
export function brackets({ key: name, op, values }: Test): string {
  if (op === 'in') {
    const list = values.length === 0 ? [','] : values
    return list.map((value) => `filter[${name}][]=${encodeURIComponent(value)}`).join('&')
  }
  const [value] = values
  const forms = {
    eq: `${value}`,
    lt: `<${value}`,
    lte: `<=${value}`,
    gt: `>${value}`,
    gte: `>=${value}`,
    contains: `~${value}~`,
    startsWith: `${value}~`,
    endsWith: `~${value}`,
  }
  return `filter[${name}]=${encodeURIComponent(forms[op])}`
}

const NAMES = [
  ...['filter', 'filter[label]', 'filter[count]', 'filter[flag]', 'filter[seenAt]', 'filter[id]'],
  ...['filter[parent.label]', 'filter[parent][bytes]', 'filter[0:ratio]', 'filter[label][]'],
  ...[
    'fields',
    'fields[parent]',
    'fields[$root]',
    'sort',
    'sort[parent]',
    'sort[count]',
    'include',
  ],
  ...['include[parent]', 'page', 'page[limit]', 'page[offset]', 'pagination[limit]', 'codec'],
  ...['filter[', 'filter[]', 'sort[a][b][c][d][e][f]', '__proto__', 'filter[constructor.a]'],
]
const PIECES = [
  ...[
    'label',
    'count',
    'parent',
    'parent.label',
    'id',
    'token',
    'parent.parent.count',
    'asc',
    'DESC',
  ],
  ...[
    '~',
    '!',
    '<',
    '>=',
    '7',
    '-',
    '%2B',
    ',',
    '.',
    '0x1f',
    '1e999',
    '%00',
    'true',
    'null',
    ' ',
    "'",
  ],
  ...[
    '2024-01-02',
    IDS[3]!,
    'url-simple',
    'url-expression',
    '9'.repeat(25),
    '%',
    '=',
    '[',
    ']',
    'a',
  ],
]
const FRAGMENTS = [
  '(',
  ')',
  ',',
  "'",
  '.',
  'not(',
  'and(',
  "eq(label,'a')",
  '$this',
  'null',
  'x',
  ' ',
]

/** A valid expression with random insertions and deletions. */
const almostExpression: fc.Arbitrary<string> = fc
  .tuple(tree, fc.nat(), fc.nat(3), fc.option(fc.constantFrom(...FRAGMENTS), { freq: 2 }))
  .map(([filter, place, cut, fragment]) => {
    const text = expression(filter)
    if (fragment === null) {
      return `filter=${encodeURIComponent(text)}`
    }
    const at = place % text.length
    return `filter=${encodeURIComponent(text.slice(0, at) + fragment + text.slice(at + cut))}`
  })

const almostParameter: fc.Arbitrary<string> = fc
  .tuple(fc.constantFrom(...NAMES), fc.array(fc.constantFrom(...PIECES), { maxLength: 5 }))
  .map(([name, pieces]) => `${name}=${pieces.join('')}`)

const usual = fc.constantFrom(
  ...['sort=label', 'sort=-count', 'sort=parent.seenAt', 'sort=-children', 'include=parent'],
  ...['fields=id,children', 'fields[parent]=token', 'page[limit]=3', 'page[offset]=2']
)

/** Text that looks like a query, more or less. */
export const almostQuery: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      { weight: 5, arbitrary: almostParameter },
      almostExpression,
      usual,
      singleTest.map(brackets)
    ),
    { maxLength: 4 }
  )
  .map((parameters) => parameters.join('&'))

/** A parameter with an arbitrary value. */
export const anyValue: fc.Arbitrary<string> = fc
  .tuple(fc.constantFrom('', ...NAMES), anyText({ maxLength: 20 }))
  .map(([name, text]) => `${name}=${text}`)
