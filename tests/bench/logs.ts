/**
 * The cost of finding 100 lines among 100,000 in the memory log store, which scans all of them for each read, in CPU time of the
 * server per request; and the memory that the lines take.
 */
import { readFileSync } from 'node:fs'

import { cpuMicroseconds, load } from './load.js'
import { startServer } from './servers.js'
import { testDatabase } from '#tests/helpers/database/test_database'
import { testEnvironment } from '#tests/helpers/test_environment'

const LINES = Number(process.env.BENCH_LINES ?? 100_000)
const MIB = 1024 ** 2
const MEMORY = Number(process.env.BENCH_MEMORY_MIB ?? 64) * MIB
const SECONDS = Number(process.env.BENCH_SECONDS ?? 8)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3)
const CONNECTIONS = 16
const HITS = 100
const SEARCHES = LINES / HITS
/** On the machine of the former system. */
const MAX_NANOSECONDS_PER_LINE = 150

interface Filled {
  readonly lines: number
  readonly counted: number
  readonly taken: number
  readonly seconds: number
}

const former = JSON.parse(
  readFileSync(new URL('./former_system.json', import.meta.url), 'utf8')
) as { logs: number; hello: number }

testEnvironment()
const database = await testDatabase()
const settings = {
  SURFACES: 'telemetry',
  JOBS: 'none',
  BENCH_LINES: String(LINES),
  BENCH_SEARCHES: String(SEARCHES),
  LOGSTORE_MEMORY_LINES: String(LINES),
  LOGSTORE_MEMORY_BYTES: String(MEMORY),
}
const server = await startServer('./log_server.mjs', settings, { tells: true })
try {
  const isSmall = checkMemory(server.told as Filled)
  const isFast = await checkRate()
  process.exitCode = isSmall && isFast ? 0 : 1
} finally {
  await server.stop()
  await database.stop()
}

function checkMemory({ lines, counted, taken, seconds }: Filled): boolean {
  const lock = lines === LINES && taken <= MEMORY
  console.log(
    `${lines} lines were written in ${seconds.toFixed(1)} s and take ${mib(taken)} MiB, ${mib(counted)} by the store's own count, ` +
      `${lock ? 'within' : 'NOT within'} LOGSTORE_MEMORY_BYTES of ${mib(MEMORY)} MiB`
  )
  return lock
}

async function checkRate(): Promise<boolean> {
  const paths = Array.from({ length: SEARCHES }, (_, search) => {
    return `/logs?filter[refType]=analysis&filter[refId]=wanted-${search}`
  })
  const headers = { authorization: 'Bearer bench' }
  const text = await (await fetch(server.url + paths[0]!, { headers })).text()
  const { meta, data } = JSON.parse(text)
  if (meta.total !== HITS || data.length !== HITS) {
    throw new Error(`${HITS} lines were expected, ${meta.total} were found`)
  }
  const bare = await startServer('./bare_answer_server.mjs', { BENCH_ANSWER: text })
  try {
    const subjects = {
      reads: { pid: server.pid, urls: paths.map((path) => server.url + path) },
      bare: { pid: bare.pid, urls: [`${bare.url}/answer`] },
      hello: { pid: bare.pid, urls: [`${bare.url}/hello`] },
    }
    const costs = await medians(subjects)
    const slower = costs.hello / former.hello
    const perLine = ((costs.reads - costs.bare) * 1_000) / LINES / slower
    console.log(
      `${HITS} hits among ${LINES} lines take ${whole(costs.reads)} microseconds of server CPU per request\n` +
        `node:http alone: ${whole(costs.bare)} with the same bytes, ${whole(costs.hello)} with sixty, which are ${former.hello} on the machine of ` +
        `the former system: this one takes ${slower.toFixed(1)} times as long\n` +
        `That is ${perLine.toFixed(0)} ns per line on the machine of the former system (at most ${MAX_NANOSECONDS_PER_LINE}), which takes ` +
        `${former.logs} microseconds per request there, among tens of thousands`
    )
    return perLine <= MAX_NANOSECONDS_PER_LINE
  } finally {
    await bare.stop()
  }
}

interface Subject {
  readonly pid: number
  readonly urls: readonly string[]
}

/** What a request costs, the subjects taking turns, so that whatever else the machine does is shared. */
async function medians<Name extends string>(
  subjects: Readonly<Record<Name, Subject>>
): Promise<Record<Name, number>> {
  const entries = Object.entries<Subject>(subjects)
  const costs = new Map(entries.map(([name]) => [name, [] as number[]]))
  for (const [, subject] of entries) {
    await cost(subject, 2)
  }
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, subject] of entries) {
      costs.get(name)!.push(await cost(subject, SECONDS))
    }
  }
  return Object.fromEntries(
    [...costs].map(([name, all]) => [
      name,
      all.toSorted((one, other) => one - other)[Math.floor(ROUNDS / 2)]!,
    ])
  ) as Record<Name, number>
}

async function cost({ pid, urls }: Subject, seconds: number): Promise<number> {
  const before = cpuMicroseconds(pid)
  const requests = await load(urls, { connections: CONNECTIONS, seconds })
  return (cpuMicroseconds(pid) - before) / requests
}

function whole(microseconds: number): string {
  return microseconds.toFixed(0)
}

function mib(bytes: number): string {
  return (bytes / MIB).toFixed(0)
}
