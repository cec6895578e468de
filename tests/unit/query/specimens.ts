import type { Declaration, Property } from '#query/declaration'

const PROPERTIES: Record<string, Property> = {
  id: { type: 'uuid' },
  label: { type: 'text', nullable: true },
  flag: { type: 'boolean', nullable: true },
  count: { type: 'integer', nullable: true },
  bytes: { type: 'bigint', nullable: true },
  ratio: { type: 'number', nullable: true },
  seenAt: { type: 'timestamp', nullable: true },
  document: { type: 'json', nullable: true },
  serialized: { type: 'jsonText', nullable: true },
  parentId: { type: 'uuid', nullable: true },
  token: { type: 'text', secret: true },
  note: { type: 'text', internal: true },
  children: {
    type: 'integer',
    computed: {
      sql: (row) => `select count(*)::int from specimens c where c.parent_id = ${row}.id`,
      columns: ['id'],
    },
  },
}

const FILTERABLE = [
  ...['id', 'label', 'flag', 'count', 'bytes', 'ratio', 'seenAt', 'parentId'],
  ...['document', 'children'],
]
const PICKED = ['id', 'label', 'flag', 'count', 'seenAt', 'parentId', 'children']

/** A kind with a column of every type, a secret, an internal column, and a relation to itself. */
export const specimen: Declaration = {
  name: 'specimen',
  table: 'specimens',
  properties: PROPERTIES,
  indexes: FILTERABLE.map((name) => [name]),
  fields: {
    default: PICKED,
    allowed: [...PICKED, 'bytes', 'ratio', 'document', 'serialized', 'token'],
  },
  filters: { allowed: FILTERABLE },
  sorts: { allowed: ['label', 'count', 'seenAt', 'children'] },
  pagination: { maxLimit: 50 },
  relations: {
    allowed: ['parent'],
    links: { parent: { target: () => specimen, local: 'parentId', foreign: 'id' } },
  },
}

export function specimenId(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
}

const LABELS = ['alpha', 'Alpha', 'ALPHABET', '007', '7', "it's", '50%', 'a_b', 'a\\b', 'true', '']

/** Rows that differ in every way that filters distinguish, with some NULLs in each column. */
export function specimenRows(amount: number): Record<string, unknown>[] {
  return Array.from({ length: amount }, (_, number) => {
    const value = <Value>(every: number, filled: Value) => (number % every === 0 ? null : filled)
    return {
      id: specimenId(number),
      label: value(7, LABELS[number % LABELS.length]),
      flag: value(5, number % 2 === 0),
      count: value(4, number % 6),
      bytes: value(6, String(9007199254740993n + BigInt(number % 3))),
      ratio: value(3, (number % 8) / 4),
      seenAt: value(4, new Date(Date.UTC(2024, 0, 1 + (number % 5)))),
      document: value(2, { number }),
      serialized: value(2, JSON.stringify({ number })),
      parentId: value(3, specimenId(Math.floor(number / 2))),
      token: `token-${number}`,
      note: number % 2 === 0 ? 'even' : 'odd',
    }
  })
}
