import type { SqlCondition } from '#query/condition'
import type { Declaration } from '#query/declaration'
import type { Bindings } from './bindings.js'
import { columnsOf, propertyOf, quoteName, valueOf } from './identifiers.js'
import { linkOf } from './joins.js'
import type { Projection } from './projection.js'
import { timestampText } from './timestamp.js'

/** Whether the caller may see a kind's secrets: on every row, on none, or on those that match a condition. */
export type Reveal = (declaration: Declaration) => boolean | SqlCondition

export const revealNothing: Reveal = () => false

type ListsByRow = WeakMap<Projection, Map<string, string>>

const columnLists: ListsByRow = new WeakMap()
const fieldLists: ListsByRow = new WeakMap()

/** Compiles records to JSON. Related records are looked up per row, after the page is cut. */
export class ObjectWriter {
  readonly #bindings: Bindings
  readonly #reveal: Reveal

  constructor(bindings: Bindings, reveal: Reveal) {
    this.#bindings = bindings
    this.#reveal = reveal
  }

  /** The rows of `source`, with alias `row`, each as one JSON value named `o`. */
  rows(projection: Projection, row: string, source: string): string {
    const revealed = this.#revealed(projection)
    if (typeof revealed === 'boolean') {
      return `(select ${this.#fields(projection, row, revealed)} ${source}) o`
    }
    const condition = revealed.write(row, (value) => this.#bindings.bind(value))
    const open = this.#object(projection, row, true)
    const closed = this.#object(projection, row, false)
    return `(select case when ${condition} then ${open} else ${closed} end as o ${source}) o`
  }

  /** SQL expression of one of those rows. */
  value(projection: Projection): string {
    return typeof this.#revealed(projection) === 'boolean' ? 'row_to_json(o.*)' : 'o.o'
  }

  /** The select list of the columns that a row needs. */
  columns(projection: Projection, row: string): string {
    return cached(columnLists, projection, row, () => this.#writeColumns(projection, row))
  }

  #writeColumns(projection: Projection, row: string): string {
    const { declaration, relations } = projection
    const revealed = this.#revealed(projection)
    const names = namesOf(projection, revealed !== false)
    const locals = [...relations.keys()].map((relation) => linkOf(declaration, relation).local)
    const columns = [...names, ...locals].flatMap((name) => columnsOf(declaration, name))
    const all = [...columns, ...(typeof revealed === 'boolean' ? [] : revealed.columns)]
    return [...new Set(all)].map((column) => `${row}.${quoteName(column)}`).join(', ')
  }

  #object(projection: Projection, row: string, revealed: boolean): string {
    return `(select row_to_json(x) from (select ${this.#fields(projection, row, revealed)}) x)`
  }

  #fields(projection: Projection, row: string, revealed: boolean): string {
    return cached(fieldLists, projection, row, () => this.#writeFields(projection, row, revealed))
  }

  #writeFields(projection: Projection, row: string, revealed: boolean): string {
    const { declaration, relations } = projection
    const own = namesOf(projection, revealed).map(
      (name) => `${printed(declaration, name, row)} as ${quoteName(name)}`
    )
    const related = [...relations].map(([relation, child]) => {
      return `${this.#relation(declaration, relation, child, row)} as ${quoteName(relation)}`
    })
    return [...own, ...related].join(', ')
  }

  #relation(from: Declaration, relation: string, child: Projection, row: string): string {
    const { local, foreign } = linkOf(from, relation)
    const { declaration, depth } = child
    const alias = `n${depth}`
    const matches = `${valueOf(declaration, foreign, alias)} = ${valueOf(from, local, row)}`
    const source = `from ${quoteName(declaration.table)} ${alias} where ${matches}`
    return `(select ${this.value(child)} from ${this.rows(child, alias, source)})`
  }

  /** Evaluated only if a secret is selected. */
  #revealed({ declaration, names, guarded }: Projection): boolean | SqlCondition {
    const secret = guarded && names.some((name) => propertyOf(declaration, name).secret)
    return secret && this.#reveal(declaration)
  }
}

/** Caches select lists per alias, unless they depend on the caller. */
function cached(
  lists: ListsByRow,
  projection: Projection,
  row: string,
  write: () => string
): string {
  if (projection.guarded) {
    return write()
  }
  const cache = lists.get(projection) ?? new Map<string, string>()
  lists.set(projection, cache)
  const list = cache.get(row) ?? write()
  cache.set(row, list)
  return list
}

function namesOf({ declaration, names, guarded }: Projection, revealed: boolean) {
  if (revealed || !guarded) {
    return names
  }
  return names.filter((name) => !propertyOf(declaration, name).secret)
}

/** SQL expression of a property in JSON. */
function printed(declaration: Declaration, name: string, row: string): string {
  const value = valueOf(declaration, name, row)
  switch (propertyOf(declaration, name).type) {
    case 'timestamp':
      return timestampText(value)
    case 'jsonText':
      return `${value}::json`
    default:
      return value
  }
}
