import type pg from 'pg'

import type { Row } from '#adopt/rows/row_reader'
import type { Table } from './table.js'

/** Why rows that fit are not here, by their ids: 'moved on' where they were taken and removed since. */
export async function whyNotHere(
  { transfer, shape }: Table,
  pool: pg.Pool,
  rows: readonly Row[],
  { withParents }: { withParents: boolean }
): Promise<Map<string, string>> {
  const reasons = new Map<string, string>()
  const { table, secrets = {} } = transfer
  const columns = transfer.columns.filter((name) => !(name in secrets))
  const types = columns.map((name) => `${name} ${shape.columns.get(name)!.sqlType}`)
  const given = `json_to_recordset($1::json) as g(${types.join()})`
  const json = JSON.stringify(
    rows.map(({ values }) => Object.fromEntries(columns.map((name) => [name, values[name]])))
  )
  const note = async (condition: string, reason: string) => {
    const found = await pool.query<{ id: string }>(`select g.id from ${given} where ${condition}`, [
      json,
    ])
    found.rows.forEach(({ id }) => reasons.set(id, reasons.get(id) ?? reason))
  }
  await note(
    `exists (select from adopted_rows a where a.list = '${table}' and a.id = g.id)`,
    'moved on'
  )
  for (const { column, table: parent } of withParents ? shape.references : []) {
    await note(
      `g.${column} is not null and not exists (select from ${parent} p where p.id = g.${column})`,
      `${column} names a record of ${parent} that is not here`
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
