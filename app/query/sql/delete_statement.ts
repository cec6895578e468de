import type { Condition } from '#query/condition'
import type { Declaration } from '#query/declaration'
import type { DecodedQuery } from '#query/decode'
import { Bindings } from './bindings.js'
import { whereClause } from './conditions.js'
import { primaryKeyOf, quoteName, valueOf } from './identifiers.js'
import { Joins } from './joins.js'
import { statement, type Statement } from './statement.js'

/** A bulk delete without conditions would empty the table. */
export class UnconditionalDelete extends Error {
  static readonly code = 'E_UNCONDITIONAL_DELETE'
  readonly code = UnconditionalDelete.code

  constructor(kind: string) {
    super(`A bulk delete of ${kind} needs a filter or a condition of the server's own`)
  }
}

/** Compiles a delete of exactly the records that a list with the same filter and conditions contains. */
export function compileDelete(
  declaration: Declaration,
  { filters }: Pick<DecodedQuery, 'filters'>,
  where: readonly Condition[] = []
): Statement {
  const bindings = new Bindings()
  const joins = new Joins(declaration)
  const matching = whereClause([...where, filters], joins, bindings)
  if (matching === '') {
    throw new UnconditionalDelete(declaration.name)
  }

  const table = quoteName(declaration.table)
  if (!joins.hasJoins) {
    return statement(`delete from ${table} r ${matching}`, bindings.values)
  }

  const key = primaryKeyOf(declaration)
  const listed = `select ${valueOf(declaration, key, 'r')} ${joins.sql} ${matching}`
  const same = `${valueOf(declaration, key, 'd')} in (${listed})`
  return statement(`delete from ${table} d where ${same}`, bindings.values)
}
