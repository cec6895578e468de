import type pg from 'pg'

import type { SkippedRows } from './skipped_rows.js'
import type { ValidRow } from '#adopt/rows/row_reader'
import type { Table } from './table.js'

/**
 * Explains by ID why valid rows are not here. `changed here` means that they were copied and then removed here. In a
 * dry run, parents may still be missing; only skipped ones count.
 */
export async function explainMissingRows(
  { transfer, shape }: Table,
  pool: pg.Pool,
  rows: readonly ValidRow[],
  skippedRows?: SkippedRows
): Promise<Map<string, string>> {
  const reasons = new Map<string, string>()
  const { table, secrets = {} } = transfer
  const columns = transfer.columns.filter((name) => !(name in secrets))
  const types = columns.map((name) => `${name} ${shape.columns.get(name)!.sqlType}`)
  const given = `json_to_recordset($1::json) as g(${types.join()})`
  const note = async (condition: string, reason: string, subset = rows) => {
    if (subset.length === 0) {
      return
    }
    const json = subset.map(({ values }) => columns.map((name) => [name, values[name]]))
    const found = await pool.query<{ id: string }>(`select g.id from ${given} where ${condition}`, [
      JSON.stringify(json.map((entries) => Object.fromEntries(entries) as object)),
    ])
    found.rows.forEach(({ id }) => reasons.set(id, reasons.get(id) ?? reason))
  }
  await note(
    `exists (select from adopted_rows a where a.table_name = '${table}' and a.id = g.id)`,
    'changed here'
  )
  for (const { column, table: parent } of shape.references) {
    await note(
      `g.${column} is not null and not exists (select from ${parent} p where p.id = g.${column})`,
      `${column} names a record of ${parent} that ${skippedRows ? 'would be left out' : 'is not here'}`,
      skippedRows && rows.filter(({ values }) => skippedRows.has(parent, values[column]))
    )
  }
  for (const unique of shape.uniques) {
    const same = unique.map((name) => `o.${name} = g.${name}`)
    await note(
      `exists (select from ${table} o where ${same.join(' and ')} and o.id <> g.id)`,
      `another record here has the same ${unique.join(' and ')}`
    )
  }
  return reasons
}
