import type { Table } from './table.js'

/** Rows that a dry run would skip, for tables with dependents, which are skipped too. */
export class SkippedRows {
  readonly #ids: ReadonlyMap<string, Set<string>>

  constructor(tables: readonly Table[]) {
    const referred = tables.flatMap(({ shape }) => shape.references.map(({ table }) => table))
    this.#ids = new Map(referred.map((table) => [table, new Set()]))
  }

  add(table: string, id: string): void {
    this.#ids.get(table)?.add(id)
  }

  has(table: string, id: unknown): boolean {
    return this.#ids.get(table)!.has(String(id))
  }
}
