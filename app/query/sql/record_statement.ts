import { where as conditions } from '#query/condition'
import type { Declaration } from '#query/declaration'
import { coerce } from '#query/scalar'
import type { Selection } from '#query/selection'
import { Bindings } from './bindings.js'
import { whereClause } from './conditions.js'
import { primaryKeyOf, propertyOf } from './identifiers.js'
import { Joins } from './joins.js'
import type { ReadOptions } from './list_statement.js'
import { ObjectWriter, revealNothing } from './object_writer.js'
import { equalOperandOf } from './operand.js'
import { projectionOf } from './projection.js'
import { inAnyRealm } from './visible_realms.js'
import { statement, type Statement } from './statement.js'

/** The row of a record statement; none if the record does not exist. */
export interface RecordRow {
  /** The record as JSON text. */
  readonly data: string
}

export interface RecordOptions extends ReadOptions {
  /** A unique property for the lookup, instead of the primary key. */
  readonly key?: string
}

const compiled = new WeakMap<Selection, Statement>()

/** Compiles the read of one record. Undefined for a key that no record can have, such as a malformed UUID. */
export function compileRecord(
  declaration: Declaration,
  id: string,
  selection: Selection,
  options: RecordOptions = {}
): Statement | undefined {
  const { key = primaryKeyOf(declaration), where, visibleRealms, reveal } = options
  const literal = { value: coerce(id).value, text: id }
  const operand = equalOperandOf(propertyOf(declaration, key).type, literal)
  if (operand === undefined) {
    return undefined
  }

  const { guarded } = projectionOf(declaration, selection)
  if (options.key || where?.length || visibleRealms || (guarded && reveal)) {
    return compile()
  }
  const known = compiled.get(selection) ?? compile()
  compiled.set(selection, known)
  return { ...known, values: [operand.value] }

  function compile(): Statement {
    const bindings = new Bindings()
    const joins = new Joins(declaration)
    const further = [...(where ?? []), ...(visibleRealms ? [inAnyRealm(visibleRealms)] : [])]
    const matching = whereClause([conditions.is(key, literal), ...further], joins, bindings)
    const projection = projectionOf(declaration, selection)
    const objects = new ObjectWriter(bindings, reveal ?? revealNothing)
    const rows = objects.rows(projection, 'r', `${joins.sql} ${matching}`)
    return statement(
      `select ${objects.value(projection)}::text as data from ${rows}`,
      bindings.values
    )
  }
}
