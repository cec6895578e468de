import type { Condition } from '#query/condition'
import type { Declaration } from '#query/declaration'
import type { DecodedQuery } from '#query/decode'
import type { Page } from '#query/pagination'
import type { Sort } from '#query/sorts'
import { Bindings } from './bindings.js'
import { whereClause } from './conditions.js'
import { primaryKeyOf, propertyOf, valueOf } from './identifiers.js'
import { Joins } from './joins.js'
import { ObjectWriter, revealNothing, type Reveal } from './objects.js'
import { projectionOf } from './projection.js'
import { statement, type Statement } from './statement.js'

export interface ReadOptions {
  /** Conditions of the server's own, which count for the total as the client's do. */
  readonly where?: readonly Condition[]
  /** Who asks may see secrets; without it nobody does. */
  readonly reveal?: Reveal
}

/** The one row a list statement answers with. */
export interface ListRow {
  /** The records as JSON text. */
  readonly data: string
  readonly total: number
}

const compiled = new WeakMap<DecodedQuery, Statement>()

/**
 * Compiles a list into one statement: the page as JSON, its relations, and how many records there
 * are without paging. A query that does not depend on who asks is compiled once.
 */
export function compileList(
  declaration: Declaration,
  query: DecodedQuery,
  options: ReadOptions = {}
): Statement {
  const { guarded } = projectionOf(declaration, query.selection)
  const personal = options.where?.length || (guarded && options.reveal)
  if (personal) {
    return compile(declaration, query, options)
  }

  let list = compiled.get(query)
  if (list === undefined) {
    list = compile(declaration, query, options)
    compiled.set(query, list)
  }
  return list
}

function compile(
  declaration: Declaration,
  { selection, filters, sorts, pagination }: DecodedQuery,
  { where = [], reveal = revealNothing }: ReadOptions
): Statement {
  const bindings = new Bindings()
  const joins = new Joins(declaration)
  const matching = whereClause([...where, filters], joins, bindings)
  const counted = `(select count(*) ${joins.sql} ${matching})`
  const order = orderClause(declaration, sorts, joins)
  const { window, total } = paging(pagination, counted, bindings)

  const projection = projectionOf(declaration, selection)
  const objects = new ObjectWriter(bindings, reveal)
  const page = `select ${objects.columns(projection, 'r')} ${joins.sql} ${matching} ${order}${window}`
  const rows = objects.rows(projection, 'p', `from (${page}) p`)
  return statement(
    `select coalesce(json_agg(${objects.value(projection)}), '[]')::text as data, ` +
      `(${total})::float8 as total from ${rows}`,
    bindings.values
  )
}

/**
 * The primary key decides between equals, so that pages neither repeat nor miss a record. It runs in
 * the direction of the key before it: an index on both serves either way.
 */
function orderClause(declaration: Declaration, sorts: readonly Sort[], joins: Joins): string {
  const keys = sorts.map(({ path, name, direction }) => {
    const joined = joins.at(path)
    const text = propertyOf(joined.declaration, name).type === 'text' ? ' collate "C"' : ''
    return `${valueOf(joined.declaration, name, joined.row)}${text} ${direction.toLowerCase()}`
  })
  const last = sorts.at(-1)?.direction.toLowerCase() ?? 'asc'
  keys.push(`${valueOf(declaration, primaryKeyOf(declaration), 'r')} ${last}`)
  return `order by ${keys.join(', ')}`
}

/**
 * Counting all matches is the costly part, and a page that is not full tells the total by itself.
 * The limit stands in the text, where the planner can see it.
 */
function paging({ limit, offset = 0 }: Page, counted: string, bindings: Bindings) {
  const start = offset === 0 ? '' : `${bindings.bind(whole(offset))}::bigint`
  const skip = start && ` offset ${start}`
  if (limit === undefined) {
    return { window: skip, total: start ? counted : 'count(*)' }
  }

  const window = ` limit ${whole(limit)}${skip}`
  return start
    ? {
        window,
        total: `case when count(*) between 1 and ${whole(limit) - 1} then count(*) + ${start} else ${counted} end`,
      }
    : { window, total: `case when count(*) < ${whole(limit)} then count(*) else ${counted} end` }
}

/** The database counts in 64 bits. */
function whole(number: number): number {
  return Math.min(number, Number.MAX_SAFE_INTEGER)
}
