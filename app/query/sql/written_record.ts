import { decode } from '#query/decode'
import type { Declaration } from '#query/declaration'
import { Bindings } from './bindings.js'
import { ObjectWriter } from './object_writer.js'
import { projectionOf } from './projection.js'

const values = new WeakMap<Declaration, string>()

/**
 * The RETURNING expression that renders a written row like a read without parameters. The row has the alias `r`. It
 * never contains secrets.
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
