import type { FormerDatabase } from '#adopt/former/former_database'
import { Findings, type Finding } from './findings.js'
import type { Table } from './table.js'

const LISTED = 100_000

/** What our keys would not let in of a table as it is there: rows that name others that are gone, and rows that share what is unique here. */
export async function brokenKeys(
  { transfer, shape, readable }: Table,
  former: FormerDatabase
): Promise<Finding[]> {
  const { table } = transfer
  const findings = new Findings()
  for (const { column, table: parent } of shape.references) {
    if (readable.includes(column)) {
      const ids = await former.texts(
        `select c.id from ${table} c left join ${parent} p on p.id = c.${column}
         where c.${column} is not null and p.id is null order by c.id limit ${LISTED}`
      )
      ids.forEach((id) =>
        findings.add(`${column} names a record of ${parent} that is not there`, id)
      )
    }
  }
  for (const unique of shape.uniques.filter((names) => names.every((n) => readable.includes(n)))) {
    const names = unique.join()
    const same = unique.map((name) => `d.${name} = c.${name}`).join(' and ')
    const given = unique.map((name) => `${name} is not null`).join(' and ')
    const ids = await former.texts(
      `select c.id from ${table} c join (
         select ${names} from ${table} where ${given} group by ${names} having count(*) > 1) d
       on ${same} order by c.id limit ${LISTED}`
    )
    ids.forEach((id) =>
      findings.add(
        `several records there have the same ${unique.join(' and ')}, and one of them is taken`,
        id
      )
    )
  }
  return findings.all
}
