import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

import { test } from '@japa/runner'
import type pg from 'pg'

import { databaseUrl } from '#database/addresses'
import { maintainTotals } from '#database/maintained_totals'
import { pools } from '#database/pools'
import { where } from '#query/condition'
import { decode } from '#query/decode'
import { columnOf, quoteName } from '#query/sql/identifiers'
import { NO_REALM } from '#query/sql/maintained_total'
import { compileList, type ListRow } from '#query/sql/list_statement'
import type { Kind } from '#records/kind'
import { consolidateTotals } from '#records/totals/consolidate_totals'
import { TotalsConsolidation } from '#records/totals/totals_consolidation'
import { totalsComparison } from '#records/totals/totals_comparison'
import { correctTotals } from '#records/totals/correct_totals'
import { addPartition, subtractPartition } from '#records/totals/partition_totals'
import { bucket } from '#storage/buckets/bucket'
import { bucketFile } from '#storage/bucket_files/bucket_file'
import { allKinds } from '#tests/helpers/records/all_kinds'
import { boot } from '#tests/helpers/application'
import { sampleRecord } from '#tests/helpers/sample_records'

const WRITER = fileURLToPath(new URL('./totals_writer.ts', import.meta.url))
const WRITERS = 3
const KILLS = 6

type Parts = Record<string, number>

/** The totals that pages return, and the actual counts, in one snapshot. */
async function compared(client: pg.ClientBase, kind: Kind): Promise<{ kept: Parts; real: Parts }> {
  await client.query('begin isolation level repeatable read read only')
  try {
    const real: Parts = await counted(client, kind)
    const kept: Parts = { all: await totalOf(client, kind) }
    for (const part of Object.keys(real)) {
      if (kind.realm !== undefined && part !== 'all') {
        kept[part] = await totalOf(client, kind, part === NO_REALM ? null : part)
      }
    }
    return { kept, real }
  } finally {
    await client.query('rollback')
  }
}

async function counted(client: pg.ClientBase, { table, realm, columns }: Kind): Promise<Parts> {
  const { rows: all } = await client.query(`select count(*)::int as n from ${quoteName(table)}`)
  const parts: Parts = { all: all[0].n }
  if (realm !== undefined) {
    const { rows } = await client.query(
      `select coalesce(${quoteName(columnOf(realm, columns[realm]!))}, '${NO_REALM}') as part, count(*)::int as n
       from ${quoteName(table)} group by 1`
    )
    rows.forEach(({ part, n }) => (parts[part] = n))
  }
  return parts
}

/** Reads a page like an endpoint; a limit of one forces the total to be read. */
async function totalOf(client: pg.ClientBase, kind: Kind, part?: string | null): Promise<number> {
  const { text, values } = compileList(
    kind.declaration,
    decode(kind.declaration, 'page[limit]=1'),
    {
      where: part === undefined ? [] : [where.in(kind.realm!, [part])],
    }
  )
  const limited = {
    text: text.replace(/case when count\(\*\) < 1 then count\(\*\) else (.*) end\)/s, '$1)'),
  }
  const { rows } = await client.query<ListRow>({ ...limited, values: [...values] })
  return rows[0]!.total
}

class Writer {
  readonly process: ChildProcess
  readonly name: string

  constructor(url: string, number: number) {
    this.name = `totals-writer-${number}`
    this.process = fork(WRITER, [url, this.name])
  }

  async wrote(times: number): Promise<void> {
    for (let count = 0; count < times; count++) {
      await once(this.process, 'message')
    }
  }

  async kill(): Promise<void> {
    this.process.kill('SIGKILL')
    await once(this.process, 'exit')
  }

  async stop(): Promise<void> {
    this.process.send('stop')
    await once(this.process, 'exit')
  }
}

const pool = () => pools.for(databaseUrl('storage'))

async function onClient<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool().connect()
  try {
    return await work(client)
  } finally {
    client.release()
  }
}

async function written(): Promise<void> {
  for (;;) {
    const { rowCount } = await pool().query(
      `select 1 from pg_stat_activity
       where datname = current_database() and application_name like 'totals-writer%'`
    )
    if (rowCount === 0) {
      return
    }
  }
}

test.group('Maintained totals', (group) => {
  group.setup(async () => void (await boot()))

  test('equal count(*) at each moment, with all kinds of writers that are killed', async ({
    assert,
  }) => {
    const url = databaseUrl('storage')
    const writers = Array.from({ length: WRITERS }, (_, number) => new Writer(url, number))
    const isOver = { yet: false }
    const watch = async (work: () => Promise<void>) => {
      while (!isOver.yet) {
        await work()
      }
    }
    let seen = 0
    const reading = watch(() =>
      onClient(async (client) => {
        for (const kind of [bucket, bucketFile]) {
          const { kept, real } = await compared(client, kind)
          seen += 1
          assert.deepEqual(kept, real)
        }
      })
    )
    const adding = watch(() => consolidateTotals(pool()))
    for (let kill = 0; kill < KILLS; kill++) {
      const place = kill % WRITERS
      await writers[place]!.wrote(20)
      await writers[place]!.kill()
      writers[place] = new Writer(url, WRITERS + kill)
    }
    await Promise.all(writers.map((writer) => writer.wrote(20)))
    await Promise.all(writers.map((writer) => writer.stop()))
    isOver.yet = true
    await Promise.all([reading, adding])
    await written()
    // Writers act randomly, so some may write nothing.
    await sampleRecord('storage', bucketFile)

    assert.isAbove(seen, 10)
    await onClient(async (client) => {
      for (const kind of [bucket, bucketFile]) {
        const { kept, real } = await compared(client, kind)
        assert.deepEqual(kept, real)
        assert.isAbove(real.all!, 0)
        assert.deepEqual(await correctTotals(kind, pool()), [])
      }
    })
    await consolidateTotals(pool())
    const { rows } = await pool().query('select count(*)::int as n from record_total_changes')
    assert.equal(rows[0].n, 0)
  }).timeout(120_000)

  test('equal the count for any conditions', async ({ assert }) => {
    const [one, two] = ['8', '9'].map((digit) => `${digit.repeat(8)}-0000-4000-8000-000000000008`)
    const nil = '00000000-0000-0000-0000-000000000000'
    for (const realmId of [one, one, two, nil]) {
      await sampleRecord('storage', bucket, { realmId })
    }
    await pool().query('update buckets set realm_id = null where realm_id = $1', [two])
    const read = [
      '',
      `filter[realmId]=${one}`,
      `filter[realmId]=${one},null`,
      `filter[realmId]=${nil}`,
    ]
    const added = [
      `filter[realmId]=!${one}`,
      `filter[realmId]=${NO_REALM}`,
      `filter[realmId]=${one}&filter[name]=~name`,
      `filter=or(eq(realmId,'${one}'),eq(realmId,'${two}'))`,
    ]
    const others = [`filter[realmId]=nobody`, `filter=eq(realmId,null)`, `filter[realmId]=${two}`]
    const seen = [[], [where.in('realmId', [one!, null])], [where.eq('realmId', two!)]]
    for (const query of [...read, ...added, ...others]) {
      for (const conditions of seen) {
        const [kept, real] = await Promise.all(
          [bucket.declaration, { ...bucket.declaration, totals: undefined }].map(
            async (declaration) => {
              const decoded = decode(declaration, `${query}&page[limit]=1&page[offset]=1`)
              const { text, values } = compileList(declaration, decoded, { where: conditions })
              const { rows } = await pool().query<ListRow>({ text, values: [...values] })
              return { text, total: rows[0]!.total }
            }
          )
        )
        assert.equal(kept!.total, real!.total, query)
        if (!others.includes(query)) {
          assert.equal(kept!.text.includes('record_totals'), read.includes(query), query)
        }
      }
    }
  })

  test('totals are reset when a table is truncated', async ({ assert }) => {
    await sampleRecord('storage', bucketFile)
    await onClient(async (client) => {
      await client.query('begin')
      await client.query('truncate buckets cascade')
      assert.equal(await totalOf(client, bucket), 0)
      assert.equal(await totalOf(client, bucketFile), 0)
      await client.query('rollback')
      const { kept, real } = await compared(client, bucketFile)
      assert.deepEqual(kept, real)
      assert.isAbove(real.all!, 0)
    })
  })

  test('totals are recorded in few rows for bulk inserts, however many rows a statement writes', async ({
    assert,
  }) => {
    const client = await pools.for(databaseUrl('telemetry')).connect()
    try {
      await client.query('begin')
      for (const records of [1, 7, 8, 9, 5_000]) {
        await client.query('delete from record_total_changes')
        await client.query(
          `insert into events (id, scope, name, ref_type, realm_id)
           select gen_random_uuid(), 'many', 'many', 'many', md5((n % 3)::text)::uuid from generate_series(1, $1) n`,
          [records]
        )
        const { rows } = await client.query(
          `select count(*)::int as noted, sum(change)::int as records from record_total_changes where list = 'events'`
        )
        assert.equal(rows[0].records, records)
        assert.isAtMost(rows[0].noted, 8 + 3)
      }
    } finally {
      await client.query('rollback')
      client.release()
    }
  })

  test('totals are corrected and logged if something bypassed the triggers', async ({ assert }) => {
    const realmId = '77777777-0000-4000-8000-777777777777'
    await onClient(async (client) => {
      await client.query('begin; alter table buckets disable trigger user')
      await client.query(
        `insert into buckets (id, name, realm_id) select gen_random_uuid(), 'past', $1 from generate_series(1, 3)`,
        [realmId]
      )
      await client.query('alter table buckets enable trigger user; commit')
    })
    const logged: object[] = []
    const sweep = totalsComparison({ warn: (what: object) => void logged.push(what) } as never)
    await sweep.run(new AbortController().signal)
    await sweep.run(new AbortController().signal)
    assert.deepEqual(logged, [{ kind: 'bucket', corrections: [{ realmId, by: 3 }] }])
    const { kept, real } = await onClient((client) => compared(client, bucket))
    assert.deepEqual(kept, real)
  })

  test('totals are consolidated continuously, also after a failure', async ({ assert }) => {
    const logged: string[] = []
    const broken = { query: () => Promise.reject(new Error('away')) } as unknown as pg.Pool
    const databases = [broken, pool()]
    const logger = {
      warn: (_: object, text: string) => void (logged.push(text), databases.shift()),
    }
    await sampleRecord('storage', bucket)
    const adding = TotalsConsolidation.start({
      pools: databases,
      logger: logger as never,
      everyMs: 1,
    })
    let left = 1
    while (left > 0) {
      const { rows } = await pool().query('select count(*)::int as n from record_total_changes')
      left = rows[0].n
    }
    await adding.stop()
    assert.lengthOf(logged, 1)
  })

  test('totals hold in a copy of the database on a server with lower transaction ids', async ({
    assert,
  }) => {
    await sampleRecord('storage', bucket)
    await pool().query(
      `update record_totals_consolidated set before_transaction_id = '9000000000000'`
    )
    await sampleRecord('storage', bucket)
    const { kept, real } = await onClient((client) => compared(client, bucket))
    assert.deepEqual(kept, real)
    await consolidateTotals(pool())
    const { rows } = await pool().query(
      'select before_transaction_id::text::bigint < 9000000000 as known from record_totals_consolidated'
    )
    assert.isTrue(rows[0].known)
    const after = await onClient((client) => compared(client, bucket))
    assert.deepEqual(after.kept, after.real)
  })

  test('totals include existing rows, also of a partitioned table', async ({ assert }) => {
    await onClient(async (client) => {
      await client.query('begin')
      await client.query(`create table parted (id int, realm_id uuid) partition by list (id);
        create table parted_1 partition of parted for values in (1);
        create table parted_2 partition of parted for values in (2);
        insert into parted values (1, null), (2, null)`)
      for (const statement of maintainTotals('parted', 'realm_id')) {
        await client.query(statement)
      }
      await client.query(`insert into parted select 1 + n % 2, null from generate_series(1, 10) n`)
      await client.query('delete from parted where id = 2')
      const sum = `select sum(n)::int as n from (select records as n from record_totals where list = 'parted'
        union all select change from record_total_changes where list = 'parted') kept`
      assert.equal((await client.query(sum)).rows[0].n, 6)
      const first = { list: 'parted', partition: 'parted_1', realm: 'realm_id' }
      await subtractPartition(client, first)
      await client.query('alter table parted detach partition parted_1')
      assert.equal((await client.query(sum)).rows[0].n, 0)
      await addPartition(client, first)
      await client.query('alter table parted attach partition parted_1 for values in (1)')
      assert.equal((await client.query(sum)).rows[0].n, 6)
      await client.query('rollback')
    })
  })

  for (const { kind, surface } of allKinds) {
    test(`totals of ${kind.name} follow its records, and their realms`, async ({ assert }) => {
      const own = pools.for(databaseUrl(surface))
      const { id } = await sampleRecord(surface, kind)
      const client = await own.connect()
      const check = async () => {
        const { kept, real } = await compared(client, kind)
        assert.deepEqual(kept, real)
      }
      try {
        await check()
        if (kind.realm !== undefined && kind.realm !== 'id') {
          const column = quoteName(columnOf(kind.realm, kind.columns[kind.realm]!))
          await client.query('begin')
          await client.query('set constraints all deferred')
          await client.query('savepoint moved')
          await client
            .query(
              `update ${quoteName(kind.table)} set ${column} = gen_random_uuid() where id = $1`,
              [id]
            )
            .catch(() => client.query('rollback to moved'))
          await client.query('commit')
          await check()
        }
        await client.query(`delete from ${quoteName(kind.table)} where id = $1`, [id])
        await check()
      } finally {
        client.release()
      }
    })
  }
})
