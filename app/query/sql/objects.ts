import type { SqlCondition } from '../condition.js'
import type { Declaration } from '../declaration.js'
import type { Bindings } from './bindings.js'
import { columnsOf, propertyOf, quoteName, valueOf } from './identifiers.js'
import { linkOf } from './joins.js'
import type { Projection } from './projection.js'

/** Whether an actor may see a kind's secrets: on every row, on none, or on those the condition holds for. */
export type Reveal = (declaration: Declaration) => boolean | SqlCondition

export const revealNothing: Reveal = () => false

const TIMESTAMP_FORMAT = `'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`

/** Select lists by projection and alias, where they do not depend on who asks. */
const written = new WeakMap<Projection, Map<string, string>>()

/** Writes records as JSON. Related records are looked up per row, after the page is cut. */
export class ObjectWriter {
  readonly #bindings: Bindings
  readonly #reveal: Reveal

  constructor(bindings: Bindings, reveal: Reveal) {
    this.#bindings = bindings
    this.#reveal = reveal
  }

  /** The rows of `source`, which stand at the alias `row`, each as one JSON value named `o`. */
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

  /** One of those rows as a value. */
  value(projection: Projection): string {
    return typeof this.#revealed(projection) === 'boolean' ? 'row_to_json(o)' : 'o.o'
  }

  /** The columns a row needs to have. */
  columns(projection: Projection): readonly string[] {
    const { declaration, relations } = projection
    const revealed = this.#revealed(projection)
    const names = namesOf(projection, revealed !== false)
    const locals = [...relations.keys()].map((relation) => linkOf(declaration, relation).local)
    const columns = [...names, ...locals].flatMap((name) => columnsOf(declaration, name))
    return [...new Set([...columns, ...(typeof revealed === 'boolean' ? [] : revealed.columns)])]
  }

  #object(projection: Projection, row: string, revealed: boolean): string {
    return `(select row_to_json(x) from (select ${this.#fields(projection, row, revealed)}) x)`
  }

  #fields(projection: Projection, row: string, revealed: boolean): string {
    if (projection.guarded) return this.#writeFields(projection, row, revealed)
    const lists = written.get(projection) ?? new Map<string, string>()
    written.set(projection, lists)
    const list = lists.get(row) ?? this.#writeFields(projection, row, revealed)
    lists.set(row, list)
    return list
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

  /** Asked only where a secret is at stake. */
  #revealed({ declaration, names, guarded }: Projection): boolean | SqlCondition {
    const secret = guarded && names.some((name) => propertyOf(declaration, name).secret)
    return secret && this.#reveal(declaration)
  }
}

function namesOf({ declaration, names, guarded }: Projection, revealed: boolean) {
  if (revealed || !guarded) return names
  return names.filter((name) => !propertyOf(declaration, name).secret)
}

/** A property as it is written into JSON. */
function printed(declaration: Declaration, name: string, row: string): string {
  const value = valueOf(declaration, name, row)
  switch (propertyOf(declaration, name).type) {
    case 'timestamp':
      return `to_char(${value} at time zone 'UTC', ${TIMESTAMP_FORMAT})`
    case 'jsonText':
      return `${value}::json`
    default:
      return value
  }
}
