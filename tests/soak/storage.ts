/**
 * Tests large files, many files, slow readers and aborted clients: content matches, memory is bounded, nothing is left
 * behind. `SOAK_STORE=s3` uses a Ceph gateway; `SOAK_GIB`, `SOAK_RANGES`, `SOAK_ABORTS`, `SOAK_PARALLEL` and
 * `SOAK_SLOW_SECONDS` make it shorter.
 */
import { randomInt } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

import { HubProcesses } from '#tests/helpers/hub_processes'
import { s3VariablesFor } from '#tests/helpers/storage/s3_store'
import { testDatabase } from '#tests/helpers/database/test_database'
import { testEnvironment } from '#tests/helpers/test_environment'
import { startRadosgw } from '#tests/services/servers/radosgw'
import { Content } from './content.js'
import { StorageClient } from './storage_client.js'

const number = (name: string, usual: number) => Number(process.env[`SOAK_${name}`] ?? usual)
const LARGE_MIB = Math.round(number('GIB', 5) * 1024)
const RANGES = number('RANGES', 1_000)
const ABORTS = number('ABORTS', 200)
const PARALLEL = number('PARALLEL', 100)
const SLOW_SECONDS = number('SLOW_SECONDS', 20)

const WARM_UP_MIB = 100
const EACH_PARALLEL_MIB = 20
const SLOW_BYTES_PER_SECOND = 100_000
const GROWTH_LIMIT_MIB = 96
const SLOW_GROWTH_LIMIT_MIB = 16
const ABORTED_AT_ONCE = 8

testEnvironment()
const database = await testDatabase()
const gateway = process.env.SOAK_STORE === 's3' ? await startRadosgw() : undefined
const storeVariables = gateway
  ? s3VariablesFor(gateway.url)
  : { STORAGE_PATH: `${process.env.DATA_DIR}/objects` }
const variables = { DATABASE_URL: database.url, ...storeVariables }
Object.assign(process.env, variables)
const { loadSettings } = await import('#runtime/application')
await loadSettings()
const hub = await HubProcesses.start('server', { variables: { ...variables, LOG_LEVEL: 'error' } })
const client = await StorageClient.login(hub.origin)
let hasFailed = false
try {
  const { id, warm } = await largeFile()
  await ranges(id)
  report('peak of memory after the large file', peakMib() - warm, GROWTH_LIMIT_MIB, 'MiB more')
  await slowReader(id)
  await client.remove(id)
  await aborts()
  await parallel()
} finally {
  client.close()
  await hub.remove()
  const { pools } = await import('#database/pools')
  await pools.close()
  await gateway?.stop()
  await database.stop()
}
process.exit(hasFailed ? 1 : 0)

/** Uploads and downloads, after a smaller file that warms up the process. */
async function largeFile(): Promise<{ id: string; warm: number }> {
  const bucketId = await client.newBucket()
  const small = await client.upload(bucketId, 'warm-up', new Content(WARM_UP_MIB))
  await client.digest(small)
  const warm = peakMib()
  const content = new Content(LARGE_MIB, 1)
  const startedAt = performance.now()
  const id = await client.upload(bucketId, 'large', content)
  const uploadedAt = performance.now()
  const isEqual = (await client.digest(id)) === content.digest()
  const rate = (from: number, to: number) => ((LARGE_MIB * 1_000) / (to - from)).toFixed(0)
  console.log(
    `${LARGE_MIB} MiB: up ${rate(startedAt, uploadedAt)} MiB/s, back ${rate(uploadedAt, performance.now())} MiB/s`
  )
  check('digest of the large file is the same', isEqual)
  return { id, warm }
}

async function ranges(id: string): Promise<void> {
  const content = new Content(LARGE_MIB, 1)
  let equal = 0
  for (let n = 0; n < RANGES; n++) {
    const start = randomInt(Math.min(content.size, 2 ** 47))
    const end = Math.min(content.size, start + 1 + randomInt(300_000))
    if ((await client.range(id, start, end)).equals(content.slice(start, end))) {
      equal++
    }
  }
  check(`${equal} of ${RANGES} ranges are equal`, equal === RANGES)
}

async function slowReader(id: string): Promise<void> {
  const before = memoryMib('VmRSS')
  forgetPeak()
  const count = await client.readSlowly(id, SLOW_BYTES_PER_SECOND, SLOW_SECONDS)
  console.log(`a slow reader took ${(count / 1_000 / SLOW_SECONDS).toFixed(0)} KB/s`)
  report('memory beside a slow reader', peakMib() - before, SLOW_GROWTH_LIMIT_MIB, 'MiB more')
}

async function aborts(): Promise<void> {
  const bucketId = await client.newBucket()
  const content = new Content(32, 2)
  let next = 0
  const worker = async () => {
    for (let n = next++; n < ABORTS; n = next++) {
      await client.abort(bucketId, `aborted-${n}`, content, 1 + randomInt(content.size))
    }
  }
  await Promise.all(Array.from({ length: ABORTED_AT_ONCE }, worker))
  await delay(2_000)
  const remaining = await remainsAfterSweep(bucketId)
  check(
    `${ABORTS} aborted uploads leave nothing: ${JSON.stringify(remaining)}`,
    isNothing(remaining)
  )
}

async function parallel(): Promise<void> {
  const bucketId = await client.newBucket()
  const ids = await Promise.all(
    Array.from({ length: PARALLEL }, (_, n) =>
      client.upload(bucketId, `parallel-${n}`, new Content(EACH_PARALLEL_MIB, 10 + n))
    )
  )
  let equal = 0
  for (const [n, id] of ids.entries()) {
    if ((await client.digest(id)) === new Content(EACH_PARALLEL_MIB, 10 + n).digest()) {
      equal++
    }
  }
  check(`${equal} of ${PARALLEL} parallel uploads are equal`, equal === PARALLEL)
  console.log(`peak of memory after them: ${peakMib().toFixed(0)} MiB`)
}

/** Checks for leftovers directly, without waiting for a sweep. */
async function remainsAfterSweep(bucketId: string) {
  const { sweepObjects } = await import('#storage/sweeps/object_sweep')
  const { sweepExpiredClaims } = await import('#storage/sweeps/expired_claims')
  const { storagePool } = await import('#storage/database')
  const { bucketLocation: bucketPlace, currentLayout } = await import('#storage/objects/layout')
  const { openObjectStore } = await import('#storage/objects/open_object_store')
  const { env } = await import('#start/env')
  const store = await openObjectStore(env)
  const { signal } = new AbortController()
  await sweepExpiredClaims(store, 0, signal)
  const swept = await sweepObjects({ store, graceMs: 0, signal, logger: { error: console.error } })
  const { container, prefix } = bucketPlace(currentLayout(env), bucketId)
  const objects = (await Array.fromAsync(store.list(container, prefix))).length
  const unfinished = (await Array.fromAsync(store.unfinished(container, prefix))).length
  const { rows } = await storagePool().query<{ files: number; claims: number }>(
    `select (select count(*)::int from bucket_files where bucket_id = $1) as files,
       (select count(*)::int from bucket_file_claims where bucket_id = $1) as claims`,
    [bucketId]
  )
  store.close()
  return { ...rows[0]!, objects, unfinished, swept }
}

function isNothing({ files, claims, objects, unfinished }: Record<string, number>): boolean {
  return [files, claims, objects, unfinished].every((count) => count === 0)
}

function peakMib(): number {
  return memoryMib('VmHWM')
}

function memoryMib(field: 'VmHWM' | 'VmRSS'): number {
  const status = readFileSync(`/proc/${hub.pid}/status`, 'utf8')
  return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)![1]) / 1024
}

function forgetPeak(): void {
  writeFileSync(`/proc/${hub.pid}/clear_refs`, '5')
}

function report(what: string, value: number, limit: number, unit: string): void {
  check(`${what}: ${value.toFixed(0)} ${unit} (at most ${limit})`, value <= limit)
}

function check(what: string, isSo: boolean): void {
  console.log(`${isSo ? 'ok    ' : 'FAILED'} ${what}`)
  hasFailed ||= !isSo
}
