import { test } from '@japa/runner'
import type pg from 'pg'

import { databaseUrl } from '#database/addresses'
import { pools } from '#database/pools'
import { checkDeclaration } from '#query/check_declaration'
import { decode } from '#query/decode'
import { columnOf, quoteName } from '#query/sql/identifiers'
import { compileList } from '#query/sql/list_statement'
import type { Statement } from '#query/sql/statement'
import type { Kind } from '#records/kind'
import { lucidClientFor } from '#records/lucid_client'
import type { RecordModel } from '#records/model'
import { RecordStore } from '#records/record_store'
import { allKinds, type ServedKind } from '#tests/helpers/records/all_kinds'
import { boot } from '#tests/helpers/application'
import { manyRecords } from '#tests/helpers/records/many_records'
import { sampleRecord } from '#tests/helpers/sample_records'

/** Enough rows that the planner prefers an index over a scan. */
const ROWS = 1_500

interface Index {
  name: string
  /** The indexed expressions in order, as PostgreSQL prints them. */
  keys: string[]
}

async function indexesOf(client: pg.ClientBase, { table }: Kind): Promise<Index[]> {
  const { rows } = await client.query<Index>(
    `select i.relname as name,
            array(select pg_get_indexdef(x.indexrelid, k, true) || coalesce(' collate ' || c.collname, '')
                  from generate_series(1, x.indnkeyatts) k
                  left join pg_collation c on c.oid = x.indcollation[k - 1] and c.collname = 'C'
                  order by k) as keys
     from pg_index x join pg_class i on i.oid = x.indexrelid
     where x.indrelid = $1::regclass and x.indpred is null`,
    [table]
  )
  return rows
}

/** The column of an indexed expression. */
const columnAt = (key: string) => /^(?:lower\()?"?(\w+)/.exec(key)![1]!

const stored = (kind: Kind, name: string) => columnOf(name, kind.columns[name]!)

async function inside(served: ServedKind, work: (client: pg.ClientBase) => Promise<void>) {
  const client = await pools.for(databaseUrl(served.surface)).connect()
  try {
    await client.query('begin')
    await work(client)
  } finally {
    await client.query('rollback')
    client.release()
  }
}

async function planOf(client: pg.ClientBase, { text, values }: Statement): Promise<string> {
  const { rows } = await client.query(`explain ${text}`, [...values])
  return rows.map((row) => row['QUERY PLAN']).join('\n')
}

for (const served of allKinds) {
  const { kind } = served

  test.group(`Storage of ${kind.name}`, (group) => {
    group.setup(async () => void (await boot()))

    test('the declaration is consistent', ({ assert }) => {
      assert.deepEqual(checkDeclaration(kind.declaration), [])
    })

    test('every declared column is in the table, with its type', async ({ assert }) => {
      const types: Record<string, string[]> = {
        uuid: ['uuid'],
        text: ['character varying', 'text'],
        boolean: ['boolean'],
        integer: ['integer'],
        bigint: ['bigint'],
        timestamp: ['timestamp with time zone'],
        json: ['jsonb'],
        jsonText: ['text'],
      }
      await inside(served, async (client) => {
        const { rows } = await client.query(
          `select column_name as name, data_type as type, is_nullable = 'YES' as nullable
           from information_schema.columns where table_name = $1 and table_schema = 'public'`,
          [kind.table]
        )
        const columns = Object.entries(kind.columns).filter(([, { computed }]) => !computed)
        assert.sameMembers(
          rows.map(({ name }) => name),
          columns.map(([name]) => stored(kind, name))
        )
        for (const [name, { type, nullable = false }] of columns) {
          const row = rows.find((candidate) => candidate.name === stored(kind, name))
          assert.include(types[type], row.type, name)
          assert.equal(row.nullable, nullable, name)
        }
      })
    })

    test('its model reads every column with its type', async ({ assert }) => {
      const { id } = await sampleRecord(served.surface, kind)
      await inside(served, async (client) => {
        const row = await new RecordStore(kind, pools.for(databaseUrl(served.surface))).lock(
          client,
          id as string
        )
        const query = kind.model
          .query({ client: await lucidClientFor(client) })
          .where('id', row!.id)
        Object.keys(kind.relations).forEach((relation) => query.preload(relation as never))
        const record = await query.firstOrFail()
        const read = { ...record.$attributes }
        for (const [name, { type }] of Object.entries(kind.columns)) {
          if (type === 'timestamp') {
            assert.equal(record.$attributes[name].toMillis(), Date.parse(row![name] as string))
            read[name] = row![name]
          }
        }
        assert.deepEqual(read, row)
        for (const [relation, { by }] of Object.entries(kind.relations)) {
          assert.equal((record.$preloaded[relation] as RecordModel).id, row![by], relation)
        }
      })
    })

    test('every declared sequence is the beginning of an index', async ({ assert }) => {
      await inside(served, async (client) => {
        const indexes = await indexesOf(client, kind)
        for (const sequence of kind.declaration.indexes!) {
          const columns = sequence.map((name) => stored(kind, name))
          const serving = indexes.filter(({ keys }) =>
            columns.every(
              (column, position) => keys[position] && columnAt(keys[position]) === column
            )
          )
          assert.isNotEmpty(serving, sequence.join())
        }
      })
    })

    test('every text that can be sorted by has an index in that order', async ({ assert }) => {
      const { allowed = [], default: sorts = {} } = kind.declaration.sorts ?? {}
      const names = [...allowed, ...Object.keys(sorts)]
      await inside(served, async (client) => {
        const indexes = await indexesOf(client, kind)
        for (const name of names.filter((key) => kind.columns[key]!.type === 'text')) {
          const column = stored(kind, name)
          const serving = indexes.filter(({ keys }) => keys[0] === `${column} collate C`)
          assert.isNotEmpty(serving, name)
        }
      })
    })

    test('equality and lists on every filterable key use its index', async ({ assert }) => {
      await inside(served, async (client) => {
        await manyRecords(client, kind, ROWS)
        const indexes = await indexesOf(client, kind)
        for (const key of kind.declaration.filters?.allowed ?? []) {
          const column = stored(kind, key)
          const usable = indexes.filter(({ keys }) => columnAt(keys[0]!) === column)
          const values = await rareValues(client, kind, column)
          for (const filter of [`filter[${key}]=${values[0]}`, `filter[${key}]=${values.join()}`]) {
            const plan = await planOf(
              client,
              compileList(kind.declaration, decode(kind.declaration, filter))
            )
            const named = usable.some(({ name }) => plan.includes(name))
            assert.isTrue(named, `${filter} is planned without an index on ${column}:\n${plan}`)
          }
        }
      })
    }).timeout(120_000)
  })
}

/** Up to three values that together match at most one percent of the rows. */
async function rareValues(
  client: pg.ClientBase,
  { table }: Kind,
  column: string
): Promise<string[]> {
  const { rows } = await client.query(
    `select ${quoteName(column)}::text as value from ${quoteName(table)}
     where ${quoteName(column)} is not null
     group by 1 having count(*) <= ${ROWS / 100} order by count(*), 1 limit 1`
  )
  const { rows: more } = await client.query(
    `select ${quoteName(column)}::text as value from ${quoteName(table)}
     where ${quoteName(column)} is not null
     group by 1 having count(*) <= ${ROWS / 300} order by count(*) desc, 1 limit 3`
  )
  const list = more.map(({ value }) => value as string)
  return [rows[0].value as string, ...list].slice(0, 3)
}
