import type { Condition } from '#query/condition'
import type { Declaration } from '#query/declaration'
import type { DecodedQuery } from '#query/decode'
import type { Page } from '#query/pagination'
import type { Sort } from '#query/sorts'
import { Bindings } from './bindings.js'
import { whereClause } from './conditions.js'
import { primaryKeyOf, propertyOf, valueOf } from './identifiers.js'
import { Joins } from './joins.js'
import { maintainedTotal } from './maintained_total.js'
import { ObjectWriter, revealNothing, type Reveal } from './object_writer.js'
import { projectionOf } from './projection.js'
import { inAnyRealm, perRealm, type VisibleRealms } from './visible_realms.js'
import { statement, type Statement } from './statement.js'

export interface ReadOptions {
  /** Conditions that the server adds; the total respects them. */
  readonly where?: readonly Condition[]
  /** The visible realms; all if undefined. */
  readonly visibleRealms?: VisibleRealms
  /** Which secrets the caller may see; none by default. */
  readonly reveal?: Reveal
}

/** The single row of a list statement. */
export interface ListRow {
  /** The records as JSON text. */
  readonly data: string
  readonly total: number
}

const compiled = new WeakMap<DecodedQuery, Statement>()

/**
 * Compiles a list into one statement: the page as JSON with its relations, and the total. A query that does not depend
 * on the caller is compiled once.
 */
export function compileList(
  declaration: Declaration,
  query: DecodedQuery,
  options: ReadOptions = {}
): Statement {
  const { guarded } = projectionOf(declaration, query.selection)
  const personal = options.where?.length || options.visibleRealms || (guarded && options.reveal)
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
  { where = [], visibleRealms, reveal = revealNothing }: ReadOptions
): Statement {
  const bindings = new Bindings()
  const joins = new Joins(declaration)
  const conditions = [...where, ...(visibleRealms ? [inAnyRealm(visibleRealms)] : []), filters]
  const parts =
    visibleRealms && visibleRealms.realms.length > 1 && isAlone(declaration)
      ? perRealm(visibleRealms)
      : []
  const matching = parts.length > 0 ? undefined : whereClause(conditions, joins, bindings)
  // The count does not join tables that only the order needs.
  const joined = joins.sql
  const counted = () =>
    maintainedTotal(declaration, conditions, bindings) ??
    `(select count(*) ${joined} ${matching ?? whereClause(conditions, joins, bindings)})`
  const order = orderClause(declaration, sorts, joins)
  const { window, first, total } = paging(pagination, counted, bindings)

  const projection = projectionOf(declaration, selection)
  const objects = new ObjectWriter(bindings, reveal)
  const source = matching === undefined ? merged(parts.map(partOf)) : `${joins.sql} ${matching}`
  const page = `select ${objects.columns(projection, 'r')} ${source} ${order}${window}`
  const rows = objects.rows(projection, 'p', `from (${page}) p`)
  return statement(
    `select coalesce(json_agg(${objects.value(projection)}), '[]')::text as data, ` +
      `(${total})::float8 as total from ${rows}`,
    bindings.values
  )

  function partOf(part: Condition): string {
    const matchingPart = whereClause([...where, part, filters], joins, bindings)
    return `select r.* ${joins.sql} ${matchingPart} ${order}${first}`
  }
}

const isAlone = ({ relations }: Declaration) => Object.keys(relations?.links ?? {}).length === 0

/** An index can serve each part in order, but not a disjunction. */
function merged(parts: readonly string[]): string {
  return `from (${parts.map((part) => `(${part})`).join(' union all ')}) r`
}

/**
 * The primary key breaks ties, so that pages neither repeat nor miss records. It uses the direction of the preceding
 * key, so that an index on both serves either direction.
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
 * A page that is not full reveals the total without a count. The limit is a literal, so that the planner sees it.
 * `first` is the limit of each part of a union.
 */
function paging({ limit, offset = 0 }: Page, counted: () => string, bindings: Bindings) {
  const start = offset === 0 ? '' : `${bindings.bind(whole(offset))}::bigint`
  const skip = start && ` offset ${start}`
  if (limit === undefined) {
    return { window: skip, first: '', total: start ? counted() : 'count(*)' }
  }

  const pageSize = whole(limit)
  const window = ` limit ${pageSize}${skip}`
  return start
    ? {
        window,
        first: ` limit ${pageSize} + ${start}`,
        total: `case when count(*) between 1 and ${pageSize - 1} then count(*) + ${start} else ${counted()} end`,
      }
    : {
        window,
        first: window,
        total: `case when count(*) < ${pageSize} then count(*) else ${counted()} end`,
      }
}

/** PostgreSQL counts in 64 bits. */
function whole(number: number): number {
  return Math.min(number, Number.MAX_SAFE_INTEGER)
}
