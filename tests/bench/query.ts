/**
 * What the platform costs beyond the least that can answer the same requests: processor time of the server per request,
 * of one record by id and of a page of 50 with its schema, taken in turns in one run.
 */
import { readFileSync } from 'node:fs'

import pg from 'pg'

import { cpuMicroseconds, load } from './load.js'
import { startServer, type BenchServer } from './servers.js'
import { consolidateTotals } from '#records/totals/consolidate_totals'
import { testDatabase } from '#tests/helpers/database/test_database'
import { testEnvironment } from '#tests/helpers/test_environment'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 4)
const SECONDS = Number(process.env.BENCH_SECONDS ?? 4)
const CONNECTIONS = 64
const NODES = 1_000
const REALMS = 20
const LIMITS = { record: 1.7, page: 1.4 }

type Route = keyof typeof LIMITS

const formerSystem = JSON.parse(
  readFileSync(new URL('./former_system.json', import.meta.url), 'utf8')
) as Record<Route, number>

testEnvironment()
const database = await testDatabase()
const servers: BenchServer[] = []
try {
  const hub = await startServer('./hub_server.mjs', {
    SURFACES: 'core',
    JOBS: 'none',
    BENCH_MIGRATE: '1',
  })
  servers.push(hub)
  const id = await seed()
  const bare = await startServer('./bare_server.mjs', { BENCH: JSON.stringify(await sameWork()) })
  servers.push(bare)
  const paths = { record: `/nodes/${id}`, page: '/nodes?sort=-createdAt' }
  await requireSameBytes(hub, bare, Object.values(paths))
  const lock = await compare(hub, bare, paths)
  process.exitCode = lock ? 0 : 1
} finally {
  await Promise.all(servers.map((server) => server.stop()))
  await database.stop()
}

/** Nodes of some realms, in the state in which a process that sweeps leaves them. */
async function seed(): Promise<string> {
  const pool = new pg.Pool({ connectionString: database.url })
  await pool.query(
    `insert into nodes (id, name, external_name, public_key, client_id, realm_id, created_at)
     select gen_random_uuid(), 'node-' || n, md5(n::text), repeat(md5(n::text), 4), gen_random_uuid(),
            md5((n % ${REALMS})::text)::uuid, now() - n * interval '1 second' from generate_series(1, ${NODES}) n`
  )
  await consolidateTotals(pool)
  await pool.query('vacuum analyze')
  const { rows } = await pool.query('select id from nodes limit 1')
  await pool.end()
  return rows[0].id
}

/** The statements of the platform and what it puts around their results, for the bare server to repeat. */
async function sameWork() {
  const { node } = await import('#core/nodes/node')
  const { decode } = await import('#query/decode')
  const { describe } = await import('#query/describe')
  const { compileList } = await import('#query/sql/list_statement')
  const { compileRecord } = await import('#query/sql/record_statement')
  const { declaration } = node
  const { collectionText, recordText } = describe(declaration)
  const anybody = '00000000-0000-4000-8000-000000000000'
  const { selection } = decode(declaration, '', 'record')
  return {
    statements: {
      record: compileRecord(declaration, anybody, selection),
      list: compileList(declaration, decode(declaration, 'sort=-createdAt')),
    },
    answers: {
      record: `"meta":{"schema":${recordText}}`,
      list: `"limit":50,"offset":0,"schema":${collectionText}}`,
    },
  }
}

async function requireSameBytes(
  hub: BenchServer,
  bare: BenchServer,
  paths: string[]
): Promise<void> {
  for (const path of paths) {
    const headers = { authorization: 'Bearer bench' }
    const [ours, theirs] = await Promise.all(
      [hub, bare].map(async ({ url }) => (await fetch(url + path, { headers })).text())
    )
    if (ours !== theirs) {
      throw new Error(`The servers answer ${path} differently:\n${ours}\n${theirs}`)
    }
  }
}

async function compare(
  hub: BenchServer,
  bare: BenchServer,
  paths: Record<Route, string>
): Promise<boolean> {
  let lock = true
  for (const name of Object.keys(LIMITS) as Route[]) {
    const costs = { hub: [] as number[], bare: [] as number[] }
    await cost(hub, paths[name])
    await cost(bare, paths[name])
    for (let round = 0; round < ROUNDS; round++) {
      costs.hub.push(await cost(hub, paths[name]))
      costs.bare.push(await cost(bare, paths[name]))
    }
    const [ours, theirs] = [median(costs.hub), median(costs.bare)]
    const ratio = ours / theirs
    lock &&= ratio <= LIMITS[name]
    console.log(
      `${name.padEnd(7)} platform ${ours.toFixed(0)} us, bare ${theirs.toFixed(0)} us of server CPU per request: ` +
        `${ratio.toFixed(2)} x (at most ${LIMITS[name]} x); the former system took ${formerSystem[name]} us`
    )
  }
  return lock
}

async function cost({ url, pid }: BenchServer, path: string): Promise<number> {
  const before = cpuMicroseconds(pid)
  const requests = await load(url + path, { connections: CONNECTIONS, seconds: SECONDS })
  return (cpuMicroseconds(pid) - before) / requests
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
}
