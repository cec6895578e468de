import type { FormerDatabase } from '#adopt/former/former_database'
import type { Table } from './table.js'

const LISTED = 100_000

/**
 * Finds source rows that violate our constraints, by ID: references to missing rows, and all but the first of duplicate
 * keys.
 */
export async function brokenKeys(
  { transfer, shape, readable }: Table,
  former: FormerDatabase
): Promise<Map<string, string>> {
  const { table } = transfer
  const broken = new Map<string, string>()
  const note = async (query: string, problem: string) => {
    const ids = await former.texts(`${query} order by c.id limit ${LISTED}`)
    ids.map((id) => id.toLowerCase()).forEach((id) => broken.set(id, broken.get(id) ?? problem))
  }
  for (const { column, table: parent } of shape.references) {
    if (readable.includes(column)) {
      await note(
        `select c.id from ${table} c left join ${parent} p on p.id = c.${column}
         where lower(concat(c.${column})) not in ('', 'null', 'undefined', 'nan') and p.id is null`,
        `${column} names a record of ${parent} that does not exist in the source`
      )
    }
  }
  for (const unique of shape.uniques.filter((names) => names.every((n) => readable.includes(n)))) {
    const names = unique.join()
    const same = unique.map((name) => `d.${name} = c.${name}`).join(' and ')
    const given = unique.map((name) => `${name} is not null`).join(' and ')
    // IDs sort the same as texts, and every server supports `min` of texts.
    await note(
      `select c.id from ${table} c join (
         select ${names}, min(concat(id)) as earliest from ${table} where ${given} group by ${names} having count(*) > 1) d
       on ${same} where concat(c.id) <> d.earliest`,
      `another record in the source has the same ${unique.join(' and ')} and comes first`
    )
  }
  return broken
}
