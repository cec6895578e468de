/**
 * What the pages of the console cost the server among many records: `ANALYSES` (100,000) and `EVENTS` (1,000,000), filled by
 * statements. Prints the time and the compressed bytes of each page, for an administrator of the installation, with
 * everything in one process. Pages of other kinds of records show the first one that there is.
 */
import { loadavg } from 'node:os'
import { brotliCompressSync } from 'node:zlib'

import pg from 'pg'

import { seedEvents } from './seed_events.js'
import { consolidateTotals } from '#records/totals/consolidate_totals'
import { median } from './median.js'
import { testDatabase } from '#tests/helpers/database/test_database'
import { testEnvironment } from '#tests/helpers/test_environment'

const ANALYSES = Number(process.env.ANALYSES ?? 100_000)
const EVENTS = Number(process.env.EVENTS ?? 1_000_000)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 15)
const PROJECTS = 1_000
const NODES = 200
const NODES_PER_ANALYSIS = 3
const LIMIT_MS = 300

testEnvironment()
const database = await testDatabase()
try {
  process.exitCode = (await measured()) ? 0 : 1
} finally {
  await database.stop()
}

async function measured(): Promise<boolean> {
  const { mountedAs } = await import('#tests/helpers/application')
  const { seedIdentity } = await import('#identity/embedded/seeds')
  const { ConsoleVisitor } = await import('#tests/helpers/console/console_visitor')
  const stop = await mountedAs('together', { relay: false })
  await seedIdentity()
  const pool = new pg.Pool({ connectionString: database.url })
  const startedAt = performance.now()
  await fill(pool)
  await seedEvents(database.url, EVENTS)
  await storeResult(pool)
  await consolidateTotals(pool)
  await pool.query('vacuum analyze')
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0)
  console.log(`${ANALYSES} analyses and ${EVENTS} events in ${seconds} s`)
  const visitor = ConsoleVisitor.as()
  let isQuick = true
  for (const path of await pathsToMeasure(pool)) {
    isQuick = (await measure(path, () => visitor.open(path))) && isQuick
  }
  await pool.end()
  await stop()
  return isQuick
}

async function measure(
  path: string,
  open: () => Promise<{ status: number; text: string }>
): Promise<boolean> {
  const times: number[] = []
  let page = await open()
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now()
    page = await open()
    times.push(performance.now() - start)
  }
  const time = median(times)
  const isGood = page.status === 200 && time <= LIMIT_MS
  const bytes = [page.text.length, brotliCompressSync(page.text).length]
  console.log(
    `${isGood ? 'yes' : 'NO '} ${path}: ${time.toFixed(0)} ms, at most ${Math.max(...times).toFixed(0)} ms, ` +
      `${bytes[0]} bytes, ${bytes[1]} compressed (status ${page.status}, load ${loadavg()[0]!.toFixed(1)})`
  )
  return isGood
}

/** All pages that are declared, and lists with filters. */
async function pathsToMeasure(pool: pg.Pool): Promise<string[]> {
  const { catalogue } = await import('#http/route_catalogue')
  const ids = await idsByFolder(pool)
  const declared = catalogue
    .all()
    .filter(({ surface, method, operation }) => {
      const { contentType } = operation.responses[200] ?? {}
      const isPage = operation.access.kind === 'session' && contentType?.startsWith('text/html')
      return surface.name === 'console' && method === 'GET' && isPage
    })
    .map(({ path }) =>
      path.replaceAll(/([\w-]+)\/:(\w+)/g, (_, folder: string) => withId(folder, ids))
    )
  const filtered = [
    '/analyses?phase=configuration',
    '/analyses?phase=build',
    '/analyses?phase=built',
    '/analyses?phase=finished',
    '/analyses?phase=failed',
    '/analyses?name=lysis-9999',
    `/analyses?offset=${ANALYSES / 2}`,
    '/projects?name=ject-99',
  ]
  return [...declared.filter((path) => !path.includes(':')), ...filtered]
}

function withId(folder: string, ids: ReadonlyMap<string, string>): string {
  return `${folder}/${ids.get(folder) ?? ':id'}`
}

/** An id for each folder of addresses that is followed by one. */
async function idsByFolder(pool: pg.Pool): Promise<ReadonlyMap<string, string>> {
  const tables = {
    analyses: "select id from analyses where name = 'analysis-1'",
    files: "select id from bucket_files where name = 'result-1.csv'",
    projects: "select id from projects where name = 'project-1'",
    nodes: "select id from nodes where name = 'node-1'",
    events: 'select id from events limit 1',
    users: 'select id from users limit 1',
    clients: 'select id from clients limit 1',
    roles: 'select id from roles limit 1',
    realms: 'select id from realms limit 1',
    approvals: 'select id from analysis_nodes where approval_status is null limit 1',
  }
  const found = await Promise.all(
    Object.entries(tables).map(async ([folder, text]) => {
      const { rows } = await pool.query<{ id: string }>(text)
      return [folder, rows[0]?.id ?? ''] as const
    })
  )
  return new Map(found.filter(([, id]) => id !== ''))
}

function uuid(kind: string, number: string): string {
  return `md5('${kind}-' || ${number})::uuid`
}

/** Twenty realms, as those of the events. */
function realm(number: string): string {
  return `md5('realm ' || ${number} % 20)::uuid`
}

/** Projects, nodes and analyses in all phases, with a result file each. */
async function fill(pool: pg.Pool): Promise<void> {
  await pool.query(`
    insert into projects (id, name, realm_id, nodes, analyses, created_at)
    select ${uuid('project', 'n')}, 'project-' || n, ${realm('n')}, ${NODES_PER_ANALYSIS}, ${ANALYSES / PROJECTS},
      now() - n * interval '1 hour' from generate_series(1, ${PROJECTS}) n`)
  await pool.query(`
    insert into nodes (id, name, realm_id, client_id, online)
    select ${uuid('node', 'n')}, 'node-' || n, ${realm('n')}, ${uuid('client', 'n')}, n % 7 > 0
    from generate_series(1, ${NODES}) n`)
  await pool.query(`
    insert into project_nodes (id, project_id, project_realm_id, node_id, node_realm_id, approval_status)
    select gen_random_uuid(), ${uuid('project', 'p')}, ${realm('p')}, ${uuid('node', nodeOf('p'))}, ${realm(nodeOf('p'))},
      case when p % 10 > 0 then 'approved' end
    from generate_series(1, ${PROJECTS}) p, generate_series(0, ${NODES_PER_ANALYSIS - 1}) k`)
  await pool.query(`
    insert into analyses (id, name, realm_id, project_id, nodes, nodes_approved, configuration_locked,
      configuration_node_default_valid, build_nodes_valid, build_status, distribution_status, execution_status, updated_at)
    select ${uuid('analysis', 'n')}, 'analysis-' || n, ${realm('n')}, ${uuid('project', projectOf('n'))}, ${NODES_PER_ANALYSIS},
      case when n % 5 > 1 then ${NODES_PER_ANALYSIS} else 0 end, n % 5 > 0, true, n % 5 > 1,
      case when n % 50 = 1 then 'failed' when n % 5 > 1 then 'executed' end,
      case when n % 5 > 2 then 'executed' when n % 5 = 2 then 'started' end,
      case when n % 5 = 4 then 'executed' when n % 5 = 3 then 'executing' end,
      now() - n * interval '1 minute'
    from generate_series(1, ${ANALYSES}) n`)
  await pool.query(`
    insert into analysis_nodes (id, analysis_id, analysis_realm_id, node_id, node_realm_id, approval_status, execution_status)
    select gen_random_uuid(), ${uuid('analysis', 'n')}, ${realm('n')}, ${uuid('node', nodeOf(projectOf('n')))},
      ${realm(nodeOf(projectOf('n')))}, case when n % 5 > 1 then 'approved' end,
      case when n % 5 = 4 then 'executed' when n % 5 = 3 then 'executing' end
    from generate_series(1, ${ANALYSES}) n, generate_series(0, ${NODES_PER_ANALYSIS - 1}) k`)
  await pool.query(`
    insert into analysis_buckets (id, type, bucket_id, analysis_id, realm_id, built_in)
    select gen_random_uuid(), type, md5('bucket-' || type || n)::uuid, ${uuid('analysis', 'n')}, ${realm('n')}, true
    from generate_series(1, ${ANALYSES}) n, unnest(array['CODE', 'RESULT', 'TEMP']) type`)
  await pool.query(`
    insert into buckets (id, name, realm_id)
    select md5('bucket-' || type || n)::uuid, type || n, ${realm('n')}
    from generate_series(1, ${ANALYSES}) n, unnest(array['CODE', 'RESULT', 'TEMP']) type`)
}

/** A file with its bytes, for the analysis whose pages are measured. */
async function storeResult(pool: pg.Pool): Promise<void> {
  const { newBucket, upload } = await import('#tests/functional/storage/files_scene')
  const bucketId = await newBucket()
  const content = Buffer.from('site,patients\n'.repeat(10_000))
  await upload(bucketId, [{ path: 'result-1.csv', content }])
  await pool.query(
    `update analysis_buckets set bucket_id = $1 where type = 'RESULT' and analysis_id = ${uuid('analysis', '1')}`,
    [bucketId]
  )
}

function projectOf(number: string): string {
  return `(1 + ${number} % ${PROJECTS})`
}

/** The node with the number `k` of a project. */
function nodeOf(project: string): string {
  return `(1 + (${project} * 7 + k) % ${NODES})`
}
