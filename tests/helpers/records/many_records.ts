import type pg from 'pg'

import { columnOf, quoteName } from '#query/sql/identifiers'
import type { Column } from '#records/column'
import type { Kind } from '#records/kind'

/** Few enough that a relation narrows a query down, many enough that it does so to less than one percent. */
const TARGETS = 200

/**
 * Fills the table of a kind, and those it refers to, with random rows and lets the database look at them.
 */
export async function manyRecords(client: pg.ClientBase, kind: Kind, count: number): Promise<void> {
  const relations = new Map(Object.values(kind.relations).map(({ to, by }) => [by, to()]))
  for (const target of relations.values()) {
    await manyRecords(client, target, TARGETS)
  }
  const columns = Object.entries(kind.columns).filter(([, column]) => !column.computed)
  const names = columns.map(([name, column]) => quoteName(columnOf(name, column)))
  const values = columns.map(([name, column]) => {
    const target = relations.get(name)
    return target ? pickOne(target) : randomValue(column)
  })
  await dropConstraints(client, kind)
  const rebuild = count > TARGETS ? await dropIndexes(client, kind) : undefined
  await client.query(
    `insert into ${quoteName(kind.table)} (${names.join()})
     select ${values.join()} from generate_series(1, ${count}) n`
  )
  await rebuild?.()
  await client.query(`analyze ${quoteName(kind.table)}`)
}

/** `n` makes the choice anew for each row. */
const pickOne = ({ table }: Kind) =>
  `(array(select id from ${quoteName(table)} order by id limit ${TARGETS}))[1 + n % ${TARGETS}]`

function randomValue({ type }: Column): string {
  switch (type) {
    case 'uuid':
      return 'gen_random_uuid()'
    case 'text':
      return `substr(md5(n || random()::text), 1, 10)`
    case 'boolean':
      // Drawn, it would now and then be more than a percent.
      return 'n % 125 = 0'
    case 'timestamp':
      return `now() - random() * interval '1 year'`
    case 'json':
    case 'jsonText':
      return `'[]'`
    default:
      return '(random() * 1000000)::int'
  }
}

/** Building an index over rows that are there is many times faster than keeping it while they come. */
async function dropIndexes(client: pg.ClientBase, { table }: Kind): Promise<() => Promise<void>> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
     from pg_index where indrelid = $1::regclass
       and not exists (select 1 from pg_constraint where conindid = indexrelid)`,
    [table]
  )
  for (const { name } of rows) {
    await client.query(`drop index ${name}`)
  }
  return async () => {
    for (const { definition } of rows) {
      await client.query(definition)
    }
  }
}

/**
 * Random rows repeat pairs that real ones may not; checking their references, and telling of them, takes longer than
 * writing them. The transaction that asked for them is rolled back.
 */
async function dropConstraints(client: pg.ClientBase, { table }: Kind): Promise<void> {
  await client.query(`alter table ${quoteName(table)} disable trigger user`)
  const { rows } = await client.query<{ name: string }>(
    `select conname as name from pg_constraint where conrelid = $1::regclass and contype in ('f', 'u')`,
    [table]
  )
  for (const { name } of rows) {
    await client.query(`alter table ${quoteName(table)} drop constraint ${quoteName(name)}`)
  }
}
