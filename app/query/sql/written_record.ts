import { decode } from '#query/decode'
import type { Declaration } from '#query/declaration'
import { Bindings } from './bindings.js'
import { ObjectWriter } from './object_writer.js'
import { projectionOf } from './projection.js'

const values = new WeakMap<Declaration, string>()

/**
 * The expression, for a RETURNING clause, that answers a written row the way a read without parameters shows it. The row
 * stands at the alias `r`. Secrets are never part of it.
 */
export function writtenRecord(declaration: Declaration): string {
  let value = values.get(declaration)
  if (value === undefined) {
    const objects = new ObjectWriter(new Bindings(), () => false)
    const projection = projectionOf(declaration, decode(declaration, '', 'record').selection)
    const rows = objects.rows(projection, 'r', '')
    value = `(select ${objects.value(projection)}::text from ${rows})`
    values.set(declaration, value)
  }
  return value
}
