import { loggedIn } from '#kernel/access'
import { UNSAFE } from '#query/key_path'
import { OR_STREAMED } from '#http/event_stream'
import type { ResponseDeclaration, HeaderParameter, Operation, Parameter } from '#http/surface'
import type { JsonSchema } from '#kernel/json_schema'
import type { Column } from './column.js'
import type { Kind } from './kind.js'

const COLUMN_SCHEMAS: Record<Column['type'], JsonSchema> = {
  uuid: { type: 'string', format: 'uuid' },
  text: { type: 'string' },
  boolean: { type: 'boolean' },
  integer: { type: 'integer' },
  bigint: { type: 'integer' },
  number: { type: 'number' },
  timestamp: { type: 'string', format: 'date-time' },
  json: {},
  jsonText: {},
}

const DESCRIPTION: JsonSchema = {
  type: 'object',
  description: 'The fields, relations, filters and sort keys that queries on this kind may use',
}

/** A list of keys with an optional sign, without unsafe names. */
const keyList = (sign: string): JsonSchema => {
  const unsafe = [...UNSAFE].join('|')
  return { type: 'string', not: { pattern: `(^|[,.]|(^|,)${sign})(${unsafe})([,.]|$)` } }
}

const SHAPING: readonly Parameter[] = [
  {
    name: 'fields',
    description:
      'Fields of the response, separated by commas; `+name` adds a field to the default ones, `-name` removes one',
    schema: keyList('[+-]'),
  },
  {
    name: 'include',
    description: 'Relations to include in the response, separated by commas',
    schema: { type: 'string' },
  },
]

const SELECTING: readonly Parameter[] = [
  {
    name: 'filter',
    description:
      "Conditions: `filter[key]=value`, or one expression such as `and(eq(key,'value'))`",
    schema: { oneOf: [{ type: 'string' }, { type: 'object' }] },
  },
  {
    name: 'sort',
    description: 'Keys to sort by, separated by commas; `-key` sorts in descending order',
    schema: keyList('-'),
  },
  { name: 'page[limit]', description: 'Records per page', schema: { type: 'integer', minimum: 1 } },
  {
    name: 'page[offset]',
    description: 'Number of records to skip; negative values count as 0',
    schema: { type: 'integer' },
  },
]

const FORCE: Parameter = {
  name: 'force',
  description:
    '`true` also deletes a record that others reference; by default such a request fails with 409',
  schema: { type: 'string', enum: ['true', 'false'] },
}

export function listOperation(kind: Kind, { isStreamed = false } = {}): Operation {
  return {
    name: `list${capitalised(kind.name)}`,
    summary: `List the ${plural(kind)} that match the filter${isStreamed ? OR_STREAMED : ''}`,
    access: kind.access.read,
    query: [...SELECTING, ...SHAPING],
    responses: {
      200: {
        description: 'One page of records; `meta.total` is the number of all that match',
        schema: envelope({ type: 'array', items: recordSchema(kind) }, PAGE_META),
      },
    },
  }
}

export function readOperation(kind: Kind): Operation {
  return {
    name: `read${capitalised(kind.name)}`,
    summary: `Read ${withArticle(kind)}`,
    access: kind.access.read,
    query: SHAPING,
    responses: {
      200: { description: 'The record', schema: envelope(recordSchema(kind), READ_META) },
    },
  }
}

export function createOperation(kind: Kind): Operation {
  return {
    name: `create${capitalised(kind.name)}`,
    summary: `Create ${withArticle(kind)}`,
    access: kind.access.create!,
    body: kind.createBody,
    maxBodyBytes: kind.maxBodyBytes,
    ...entryOf(kind),
    responses: { 201: writtenAnswer(kind, 'The created record') },
  }
}

export function updateOperation(kind: Kind): Operation {
  return {
    name: `update${capitalised(kind.name)}`,
    summary: `Update attributes of ${withArticle(kind)}`,
    access: kind.access.update!,
    body: kind.updateBody,
    ...entryOf(kind),
    ...(kind.precondition && { headers: [ifMatch(kind.precondition)] }),
    responses: { 202: writtenAnswer(kind, 'The updated record') },
  }
}

const ifMatch = (attribute: string): HeaderParameter => ({
  name: 'If-Match',
  description: `The attribute ${attribute} as an entity tag; the update fails if it has changed`,
  required: false,
  schema: { type: 'string', pattern: '^(\\*|(W/)?"[^"]*")$' },
})

export function removeOperation(kind: Kind): Operation {
  return {
    name: `delete${capitalised(kind.name)}`,
    summary: `Delete ${withArticle(kind)}`,
    access: kind.access.remove!,
    ...(kind.forcible && { query: [FORCE] }),
    responses: { 202: writtenAnswer(kind, 'The deleted record') },
  }
}

const PAGE_META: JsonSchema = {
  type: 'object',
  required: ['total', 'limit', 'offset', 'schema'],
  properties: {
    total: { type: 'integer' },
    limit: { type: 'integer' },
    offset: { type: 'integer' },
    schema: DESCRIPTION,
  },
  additionalProperties: false,
}

const READ_META: JsonSchema = {
  type: 'object',
  required: ['schema'],
  properties: { schema: DESCRIPTION },
  additionalProperties: false,
}

const WRITE_META: JsonSchema = { type: 'object', additionalProperties: false }

/** If the body is checked first, the route admits every authenticated caller and the service checks the permission. */
function entryOf({ permissionFirst }: Kind): Partial<Operation> {
  return permissionFirst ? {} : { entry: loggedIn }
}

export function writtenAnswer(
  kind: Kind,
  description: string,
  meta = WRITE_META
): ResponseDeclaration {
  return { description, schema: envelope(recordSchema(kind, { secrets: false }), meta) }
}

function envelope(data: JsonSchema, meta: JsonSchema): JsonSchema {
  return {
    type: 'object',
    required: ['data', 'meta'],
    properties: { data, meta },
    additionalProperties: false,
  }
}

/**
 * Every property is optional, since `fields` selects them; a relation is a record or null. Writes never return secrets.
 */
export function recordSchema({ columns, relations }: Kind, { secrets = true } = {}): JsonSchema {
  const shown = Object.entries(columns).filter(([, column]) => {
    return !column.internal && (secrets || !column.secret)
  })
  const own = shown.map(([name, column]) => [name, columnSchema(column)])
  const related = Object.keys(relations).map((name) => [name, { type: ['object', 'null'] }])
  return {
    type: 'object',
    properties: Object.fromEntries([...own, ...related]),
    additionalProperties: false,
  }
}

function columnSchema({ type, nullable }: Column): JsonSchema {
  const schema = COLUMN_SCHEMAS[type]
  return nullable && schema.type ? { ...schema, type: [schema.type, 'null'] } : schema
}

const withArticle = ({ label }: Kind): string =>
  `${/^[aeio]/.test(label) ? 'an' : 'a'} ${label.replaceAll('-', ' ')}`
const plural = ({ collection }: Kind): string => collection.slice(1).replaceAll('-', ' ')
const capitalised = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)
