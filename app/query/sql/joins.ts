import type { Declaration } from '#query/declaration'
import { quoteName, valueOf } from './identifiers.js'

export interface JoinedTable {
  readonly declaration: Declaration
  readonly row: string
}

/** The tables of a statement: the root, and one left join per relation path in use. */
export class Joins {
  readonly #joined: Map<string, JoinedTable>
  #sql: string

  constructor(root: Declaration) {
    this.#joined = new Map([['', { declaration: root, row: 'r' }]])
    this.#sql = `from ${quoteName(root.table)} r`
  }

  /** The FROM clause with every path requested so far. */
  get sql(): string {
    return this.#sql
  }

  /** Whether any relation is joined. */
  get hasJoins(): boolean {
    return this.#joined.size > 1
  }

  at(path: readonly string[]): JoinedTable {
    const key = path.join('.')
    return this.#joined.get(key) ?? this.#join(key, path)
  }

  #join(key: string, path: readonly string[]): JoinedTable {
    const from = this.at(path.slice(0, -1))
    const link = linkOf(from.declaration, path.at(-1)!)
    const declaration = link.target()
    const joined = { declaration, row: `j${this.#joined.size}` }
    const local = valueOf(from.declaration, link.local, from.row)
    const foreign = valueOf(declaration, link.foreign, joined.row)
    this.#sql += ` left join ${quoteName(declaration.table)} ${joined.row} on ${foreign} = ${local}`
    this.#joined.set(key, joined)
    return joined
  }
}

export function linkOf(declaration: Declaration, relation: string) {
  const link = declaration.relations?.links?.[relation]
  if (link === undefined) {
    throw new Error(`The kind ${declaration.name} declares no relation ${relation}`)
  }
  return link
}
