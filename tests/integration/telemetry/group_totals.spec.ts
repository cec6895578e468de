import { test } from '@japa/runner'
import type pg from 'pg'

import { clock } from '#kernel/clock'
import { decode } from '#query/decode'
import { compileList, type ReadOptions } from '#query/sql/list_statement'
import { consolidateTotals } from '#records/totals/consolidate_totals'
import { correctTotals } from '#records/totals/correct_totals'
import { event } from '#telemetry/events/event'
import { emptyDatabase } from '#tests/helpers/database/empty_database'

const REALMS = [clock.uuid(), clock.uuid(), null]
const TYPES = ['node', 'Node', 'analysis', 'with:colon', "quote'd"]

let database: Awaited<ReturnType<typeof emptyDatabase>>
let pool: pg.Pool

const filterOf = (scope: string, refType: string) =>
  `filter=and(eq(scope,'${scope}'),eq(refType,'${refType.replaceAll("'", "''")}'))&page[limit]=1`

async function totalOf(query: string, options: ReadOptions = {}): Promise<number> {
  const { text, values } = compileList(event.declaration, decode(event.declaration, query), options)
  const { rows } = await pool.query<{ total: number }>(text, [...values])
  return rows[0]!.total
}

async function counted(
  scope: string,
  refType: string,
  realms: readonly (string | null)[] = REALMS
) {
  const { rows } = await pool.query<{ count: number }>(
    `select count(*)::int as count from events where lower(scope) = lower($1) and lower(ref_type) = lower($2)
       and coalesce(realm_id::text, '-') = any($3::text[])`,
    [scope, refType, realms.map((realm) => realm ?? '-')]
  )
  return rows[0]!.count
}

const insert = (count: number, realm: string | null, scope = 'entity') =>
  pool.query(
    `insert into events (id, scope, name, ref_type, realm_id)
     select gen_random_uuid(), $1, 'updated', ($2::text[])[1 + n % ${TYPES.length}], $3::uuid from generate_series(1, $4) n`,
    [scope, TYPES, realm, count]
  )

test.group('Totals of events by scope and kind', (group) => {
  group.each.setup(async () => {
    database = await emptyDatabase()
    pool = database.pool
    await database.migrate('bus', 'telemetry')
    await insert(23, REALMS[0]!)
    await insert(4, null, 'builder')
    return () => database.stop()
  })

  async function requireRight(assert: {
    equal(one: unknown, other: unknown, text?: string): void
  }) {
    for (const scope of ['entity', 'Builder']) {
      for (const refType of [...TYPES, 'none']) {
        const query = filterOf(scope, refType)
        assert.equal(await totalOf(query), await counted(scope, refType), query)
        for (const realms of [[REALMS[0]!], [REALMS[1]!, null]]) {
          const seen = { property: 'realmId', realms }
          const total = await totalOf(query, { visibleRealms: seen })
          assert.equal(total, await counted(scope, refType, realms), query)
        }
      }
    }
  }

  test('match the rows after any changes', async ({ assert }) => {
    await requireRight(assert)
    await insert(50, REALMS[1]!)
    await insert(1, null)
    await requireRight(assert)
    await pool.query(`delete from events where id in (select id from events order by id limit 17)`)
    await consolidateTotals(pool)
    await requireRight(assert)
    await pool.query(`update events set realm_id = $1, ref_type = 'node' where realm_id is null`, [
      REALMS[0],
    ])
    await requireRight(assert)
    await pool.query('truncate events')
    await requireRight(assert)
  })

  test('totals are corrected where something wrote past the triggers', async ({ assert }) => {
    await pool.query('alter table events disable trigger user')
    await insert(11, REALMS[1]!)
    await pool.query('alter table events enable trigger user')
    assert.isNotEmpty(await correctTotals(event, pool as never))
    await requireRight(assert)
    assert.isEmpty(await correctTotals(event, pool as never))
    await pool.query('delete from events')
    await consolidateTotals(pool)
    await correctTotals(event, pool as never)
    assert.equal((await pool.query('select from record_totals')).rowCount, 0)
  })

  test('totals are read, not counted, for one of each and nothing more', ({ assert }) => {
    const isCounted = (query: string) =>
      compileList(event.declaration, decode(event.declaration, query)).text.includes(
        '(select count(*)'
      )
    assert.isFalse(isCounted(filterOf('entity', 'node')))
    assert.isFalse(isCounted('filter[scope]=entity&filter[refType]=node'))
    assert.isFalse(
      isCounted(`filter[scope]=entity&filter[refType]=node&filter[realmId]=${REALMS[0]}`)
    )
    for (const more of [
      '',
      '&filter[refType]=node,user',
      '&filter[refType]=~n',
      '&filter[refType]=!node',
    ]) {
      assert.isTrue(isCounted(`filter[scope]=entity${more}`), more)
    }
    assert.isTrue(isCounted('filter[scope]=entity&filter[refType]=node&filter[name]=updated'))
  })
})
