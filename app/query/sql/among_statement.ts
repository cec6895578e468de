import type { SqlCondition } from '#query/condition'
import type { Declaration } from '#query/declaration'
import type { DecodedQuery } from '#query/decode'
import { Bindings } from './bindings.js'
import { whereClause } from './conditions.js'
import { Joins } from './joins.js'
import type { ReadOptions } from './list_statement.js'
import { inAnyRealm } from './visible_realms.js'
import { statement, type Statement } from './statement.js'
import { writtenRecord } from './written_record.js'

/** A matching record. */
export interface AmongRow {
  readonly id: string
  /** The record as JSON text, like a read without parameters. */
  readonly data: string
}

/** Compiles a query for the matching records among some ids, unordered. */
export function compileAmong(
  declaration: Declaration,
  ids: readonly string[],
  { filters }: Pick<DecodedQuery, 'filters'>,
  { where = [], visibleRealms }: Omit<ReadOptions, 'reveal'>
): Statement {
  const bindings = new Bindings()
  const joins = new Joins(declaration)
  const isAmong: SqlCondition = {
    kind: 'sql',
    write: (row, bind) => `${row}."id" = any(${bind(ids)}::uuid[])`,
    columns: ['id'],
  }
  const conditions = [
    isAmong,
    ...where,
    ...(visibleRealms ? [inAnyRealm(visibleRealms)] : []),
    filters,
  ]
  const matching = whereClause(conditions, joins, bindings)
  return statement(
    `select r."id"::text as id, ${writtenRecord(declaration)} as data ${joins.sql} ${matching}`,
    bindings.values
  )
}
