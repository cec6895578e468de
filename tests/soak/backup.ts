/**
 * Measures backup and restoration of a large installation with `SOAK_ROWS` files and events and `SOAK_OBJECTS` shared
 * objects, and compares the result.
 */
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'

import { objectAddress } from '#storage/objects/layout'
import { clock } from '#kernel/clock'
import { stopwatch } from '#tests/helpers/stopwatch'
import { testDatabase } from '#tests/helpers/database/test_database'
import { testEnvironment } from '#tests/helpers/test_environment'

const number = (name: string, usual: number) => Number(process.env[`SOAK_${name}`] ?? usual)
const ROWS = number('ROWS', 1_000_000)
const OBJECTS = number('OBJECTS', 3_000)
const LIMIT_MS = 5 * 60_000

testEnvironment()
const database = await testDatabase()
const parent = await mkdtemp(join(tmpdir(), 'hub-soak-'))
// They read the variables set above.
const { loadSettings } = await import('#runtime/application')
await loadSettings()
const { BackedUp } = await import('#tests/helpers/backup/backed_up')
const original = await BackedUp.own(parent, {})
const restored = await BackedUp.empty(parent, {})
let hasFailed = false
try {
  await timed('tables', () => original.run('hub:migrate'))
  const bucketId = clock.uuid()
  const filled = stopwatch()
  await fill(bucketId)
  console.log(`${ROWS} files, ${ROWS} events, ${OBJECTS} objects made in ${seconds(filled())} s`)
  const location = join(parent, 'backup')
  await timed('backup', () => original.run('backup', `--to=${location}`))
  await timed('backup to the same place', () => original.run('backup', `--to=${location}`))
  await timed('restoration', () => restored.run('restore', `--from=${location}`))
  const [there, here] = [await counts(original.pool), await counts(restored.pool)]
  check(`the same rows: ${here}`, there === here)
} finally {
  await restored.stop()
  await original.stop()
  await database.stop()
  await rm(parent, { recursive: true, force: true })
}
process.exit(hasFailed ? 1 : 0)

async function fill(bucketId: string): Promise<void> {
  const { container } = objectAddress('own', bucketId, 'any')
  await original.store.makeContainer(container)
  const sha256: string[] = []
  for (let n = 0; n < OBJECTS; n++) {
    const bytes = randomBytes(1_000 + n)
    sha256.push(createHash('sha256').update(bytes).digest('hex'))
    await original.store.put(objectAddress('own', bucketId, `object-${n}`), Readable.from([bytes]))
  }
  await original.pool.query(`insert into buckets (id, name) values ($1, 'large')`, [bucketId])
  await original.pool.query(
    `insert into bucket_files (id, name, path, directory, hash, sha256, size, actor_type, actor_id, bucket_id)
     select gen_random_uuid(), 'file ' || n, 'folder/file ' || n, 'folder', 'object-' || (n % $2::int),
       ($3::text[])[n % $2::int + 1], 1000 + n % $2::int, 'user', $1, $1
     from generate_series(1, $4::int) n`,
    [bucketId, OBJECTS, sha256, ROWS]
  )
  await original.pool.query(
    `insert into events (id, scope, name, ref_type, ref_id, data, expiring, actor_type, actor_id, created_at, updated_at)
     select gen_random_uuid(), 'entity', 'updated', 'node', gen_random_uuid()::text,
       '{"diff":{"name":{"next":"B' || n || '","previous":"A"}}}', false, 'user', gen_random_uuid(),
       now() - n * interval '1 second', now()
     from generate_series(1, $1::int) n`,
    [ROWS]
  )
}

async function timed(
  what: string,
  work: () => Promise<{ code: number | null; output: string }>
): Promise<void> {
  const took = stopwatch()
  const { code, output } = await work()
  const ms = took()
  console.log(output.trimEnd())
  check(`${what} took ${seconds(ms)} s (limit ${seconds(LIMIT_MS)})`, code === 0 && ms < LIMIT_MS)
}

async function counts(pool: typeof original.pool): Promise<string> {
  const { rows } = await pool.query<{ counted: string }>(
    `select (select count(*) || ' ' || md5(sum(hashtextextended(f::text, 0))::text) from bucket_files f) || ', ' ||
       (select count(*) || ' ' || md5(sum(hashtextextended(e::text, 0))::text) from events e) as counted`
  )
  return rows[0]!.counted
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1)
}

function check(what: string, isSo: boolean): void {
  console.log(`${isSo ? 'yes' : 'NO '}  ${what}`)
  hasFailed ||= !isSo
}
