/**
 * What the exact total of a list costs: a page of 50 of the same kind with 1,000 records and with 1,000,000, and creations with
 * their totals kept and not, in turns. Counted is the processor time of the server and of all of PostgreSQL, and of creations the
 * instructions, where `perf` can count them. `BENCH_PARTS` says which are measured.
 */
import pg from 'pg'

import { creationCosts, type Costs } from './creation_costs.js'
import { load } from './load.js'
import { median } from './median.js'
import { serverMicroseconds } from './processors.js'
import { startServer, type BenchServer } from './servers.js'
import { testDatabase } from '#tests/helpers/database/test_database'
import { testEnvironment } from '#tests/helpers/test_environment'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)
const SECONDS = Number(process.env.BENCH_SECONDS ?? 3)
const FEW = 1_000
const MANY = Number(process.env.BENCH_RECORDS ?? 1_000_000)
const CONNECTIONS = 16
const PARTS = process.env.BENCH_PARTS?.split(',') ?? ['pages', 'creations']
const LIMITS = { page: 1.3, write: 1.05 }

testEnvironment()
const database = await testDatabase()
const client = new pg.Client({ connectionString: database.url })
let server: BenchServer | undefined
try {
  server = await startServer('./hub_server.mjs', {
    SURFACES: 'core',
    JOBS: 'none',
    BENCH_MIGRATE: '1',
    BENCH_PERMISSIONS: 'project_create',
  })
  await client.connect()
  const isMet = []
  if (PARTS.includes('pages')) {
    isMet.push(await comparePages(server))
  }
  if (PARTS.includes('creations')) {
    isMet.push(await compareCreations(server))
  }
  process.exitCode = isMet.every(Boolean) ? 0 : 1
} finally {
  await server?.stop()
  await client.end()
  await database.stop()
}

async function comparePages(hub: BenchServer): Promise<boolean> {
  await seed(0, FEW)
  const small = await pages(hub)
  await seed(FEW, MANY)
  const large = await pages(hub)
  const ratio = large.cpu / small.cpu
  console.log(
    `page    ${small.cpu.toFixed(0)} us of CPU with ${FEW} nodes (${small.ms.toFixed(2)} ms alone), ` +
      `${large.cpu.toFixed(0)} us with ${MANY} (${large.ms.toFixed(2)} ms): ${ratio.toFixed(2)} x (at most ${LIMITS.page} x)`
  )
  return ratio <= LIMITS.page
}

/** The limit applies to instructions if they are counted: processor time varies more than totals cost. */
async function compareCreations(hub: BenchServer): Promise<boolean> {
  const { microseconds, instructions } = await creationCosts(hub, client, CONNECTIONS)
  const most = `(at most ${LIMITS.write} x)`
  const [cpuRatio, ratio] = [ratioOf(microseconds), instructions && ratioOf(instructions)]
  console.log(
    `create  ${microseconds.unkept.toFixed(0)} us of CPU without totals, ${microseconds.kept.toFixed(0)} us with: ` +
      `${cpuRatio.toFixed(3)} x ${ratio === undefined ? most : ''}`
  )
  if (instructions) {
    const [unkept, totals] = [instructions.unkept, instructions.kept].map((each) => each / 1_000)
    console.log(
      `create  ${unkept!.toFixed(0)} thousand instructions without totals, ${totals!.toFixed(0)} thousand with: ` +
        `${ratio!.toFixed(3)} x ${most}`
    )
  }
  return (ratio ?? cpuRatio) <= LIMITS.write
}

/** Indexes that are built over rows that are there take a part of the time. */
async function seed(from: number, to: number): Promise<void> {
  const { rows: indexes } = await client.query<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
     where indrelid = 'nodes'::regclass and not exists (select 1 from pg_constraint where conindid = indexrelid)`
  )
  for (const { name } of indexes) {
    await client.query(`drop index ${name}`)
  }
  await client.query(
    `insert into nodes (id, name, external_name, public_key, client_id, realm_id, created_at)
     select gen_random_uuid(), 'node-' || n, md5(n::text), repeat(md5(n::text), 4), gen_random_uuid(),
       ('aaaaaaaa-0000-4000-8000-00000000000' || n % 10)::uuid, now() - n * interval '1 second'
     from generate_series(${from + 1}, ${to}) n`
  )
  for (const { definition } of indexes) {
    await client.query(definition)
  }
  await client.query('vacuum analyze nodes')
}

/** The processor time of a page under load, and how long a single one takes. */
async function pages({ url, pid }: BenchServer): Promise<{ cpu: number; ms: number }> {
  const path = `${url}/nodes`
  await load(path, { connections: CONNECTIONS, seconds: SECONDS })
  const costs: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const before = serverMicroseconds(pid)
    const requests = await load(path, { connections: CONNECTIONS, seconds: SECONDS })
    costs.push((serverMicroseconds(pid) - before) / requests)
  }
  const startedAt = performance.now()
  const requests = await load(path, { connections: 1, seconds: 1 })
  return { cpu: median(costs), ms: (performance.now() - startedAt) / requests }
}

function ratioOf({ kept: totals, unkept }: Costs): number {
  return totals / unkept
}
