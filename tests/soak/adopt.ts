/**
 * Kills hub:adopt repeatedly and verifies the result: counts and checksums match, and another run changes nothing.
 * `ROWS` sets the number of files and events, `KILLS` the number of kills, `SERVER=mariadb` the kind of server.
 */
import { randomInt } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'

import pg from 'pg'

import { FormerPlatform } from '#tests/former/former_platform'
import { Ace } from '#tests/helpers/ace'
import { testDatabase } from '#tests/helpers/database/test_database'
import { testEnvironment } from '#tests/helpers/test_environment'

const ROWS = Number(process.env.ROWS ?? 1_000_000)
const KILLS = Number(process.env.KILLS ?? 5)
/** Latest kill after the first row. */
const LATEST_KILL_MS = Math.max(600, ROWS * 0.05)

testEnvironment()
const database = await testDatabase()
const maria =
  process.env.SERVER === 'mariadb'
    ? await (await import('#tests/services/servers/mariadb')).startMariadb()
    : undefined
const pool = new pg.Pool({ connectionString: database.url })
pool.on('error', () => {})
let hasFailed = false
try {
  const former = await timed(`making ${ROWS} files and ${ROWS} events`, async () => {
    const platform = await FormerPlatform.make(maria?.url ?? database.url)
    await platform.fill(ROWS)
    return platform
  })
  const variables = {
    DATABASE_URL: database.url,
    ...Object.fromEntries(
      Object.entries(former.addresses).map(([service, url]) => [
        `FORMER_${service.toUpperCase()}_DATABASE_URL`,
        url,
      ])
    ),
  }
  await timed('bringing the tables up to date', () => Ace.run(['hub:migrate'], variables))
  await killed(variables)
  const first = await timed('the rest', () => Ace.run(['hub:adopt'], variables))
  console.log(first.output.slice(first.output.indexOf('┌')))
  const summary = 'All records are here, but some files'
  check('it says that all is here, but for the objects', first.output.includes(summary))
  await compare(former)
  const before = await fingerprint()
  const second = await timed('a second run', () => Ace.run(['hub:adopt'], variables))
  check('it says so again', second.output.includes(summary))
  check('a second run changes nothing', (await fingerprint()) === before)
  const verified = await timed('looking at the trail', () => Ace.run(['audit:verify'], variables))
  check('the audit trail holds', verified.code === 0)
  await former.remove()
} finally {
  await pool.end()
  await maria?.stop()
  await database.stop()
}
process.exit(hasFailed ? 1 : 0)

/** Kills the command at random moments. */
async function killed(variables: NodeJS.ProcessEnv): Promise<void> {
  for (let kill = 1; kill <= KILLS; kill++) {
    const adopting = Ace.start(['hub:adopt'], variables)
    await adopting.untilOutput('taking')
    const waitMs = randomInt(LATEST_KILL_MS)
    await Promise.race([delay(waitMs), adopting.ended])
    adopting.signal('SIGKILL')
    const { code, output } = await adopting.ended
    const at = output.trim().split('\n').at(-1)
    console.log(`kill ${kill} after ${waitMs} ms${code === null ? '' : ', too late'}: ${at}`)
  }
}

/** Compares with SQL, independent of the code under test. */
async function compare(former: FormerPlatform): Promise<void> {
  const tables = [
    ['storage', 'bucket_files', 'id, path, hash, size, bucket_id, actor_id'],
    ['core', 'analysis_bucket_files', 'id, path, bucket_file_id, analysis_bucket_id'],
    ['telemetry', 'events', 'id, name, ref_type, ref_id, data, actor_id, actor_name'],
  ] as const
  for (const [service, table, columns] of tables) {
    const rows = `concat_ws('|', ${columns})`
    const sum = maria
      ? `select count(*) as count, coalesce(sum(cast(conv(substr(md5(${rows}), 1, 8), 16, 10) as unsigned)), 0) as sum from ${table}`
      : `select count(*) as count, sum(('x' || substr(md5(${rows}), 1, 8))::bit(32)::bigint) as sum from ${table}`
    const ours = `select count(*) as count, sum(('x' || substr(md5(${rows}), 1, 8))::bit(32)::bigint & 4294967295) as sum from ${table}`
    const there = await former.request(service, sum.replace('::bigint)', '::bigint & 4294967295)'))
    const { rows: here } = await pool.query<{ count: string; sum: string }>(ours)
    const content = `${here[0]!.count} ${here[0]!.sum}`
    check(`${table} are the same on both sides (${content})`, content === there)
  }
}

/** Changes with every written row. */
async function fingerprint(): Promise<string> {
  const lists = await pool.query<{ list: string }>(
    'select table_name as list from adopted_tables order by list'
  )
  const all: string[] = []
  for (const { list } of lists.rows) {
    const { rows } = await pool.query<{ mark: string }>(
      `select concat(count(*), ' ', sum(xmin::text::bigint), ' ', max(xmin::text::bigint)) as mark from ${list}`
    )
    all.push(`${list} ${rows[0]!.mark}`)
  }
  return all.join('\n')
}

async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now()
  const result = await work()
  console.log(`${what}: ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`)
  return result
}

function check(what: string, isSo: boolean): void {
  hasFailed ||= !isSo
  console.log(`${isSo ? 'ok    ' : 'FAILED'} ${what}`)
}
