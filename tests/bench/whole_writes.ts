/**
 * What a write costs with all that follows from it: the relay, the audit trail and its seals, notices, and calls to a provider
 * elsewhere. One process does everything; sixteen ask at once, and a turn ends when the outbox and the tasks are empty. In
 * processor time of the process and of PostgreSQL, for each write. `BENCH_ROUNDS` and `BENCH_WRITES` say how often and how many;
 * `BENCH_ROOT` names another checkout whose build is measured.
 */
import { setTimeout as delay } from 'node:timers/promises'

import pg from 'pg'

import { cpuMicroseconds, repeat } from './load.js'
import { measureHub } from './measured_hub.js'
import { median } from './median.js'
import { postgresMicroseconds } from './processors.js'

const CONNECTIONS = 16
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)
const WRITES = Number(process.env.BENCH_WRITES ?? 2_000)
const POLL_INTERVAL_MS = 200
/** A process without work uses no more between two looks. */
const IDLE_US = 10_000

const CREATED = 1_000
const MOST_SECONDS = 10

/** Microseconds of the server for each write that are aimed at. */
const WANTED = {
  'update of nodes': 470,
  'update of one project': 371,
  'creation of projects': 275,
  'creation of nodes': 904,
}

type Work = keyof typeof WANTED

interface Cost {
  readonly server: number
  readonly database: number
}

await measureHub({}, async ({ hub, token, databaseUrl }) => {
  const reader = new pg.Pool({ connectionString: databaseUrl, max: 1 })
  reader.on('error', () => {})
  const post = posting(hub.origin, token)
  const measured: Measured = { pid: hub.pid, reader }
  try {
    report(await costs(measured, await works(post)))
    const seconds = await secondsUntilIdle(measured, post)
    console.log(
      `idle ${seconds.toFixed(1)} s after ${CREATED} nodes and ${CREATED} analyses (at most ${MOST_SECONDS})`
    )
    return seconds <= MOST_SECONDS
  } finally {
    await reader.end()
  }
})

/** The process that is measured, and its database. */
interface Measured {
  readonly pid: number
  readonly reader: pg.Pool
}

type Post = (path: string, body: object) => Promise<string>

/** Creates or changes a record, and resolves with its id. */
function posting(origin: string, token: string): Post {
  const headers = { 'authorization': `Bearer ${token}`, 'content-type': 'application/json' }
  return async (path, body) => {
    const request = { method: 'POST', headers, body: JSON.stringify(body) }
    const response = await fetch(`${origin}/core${path}`, request)
    if (!response.ok) {
      throw new Error(`POST ${path} was answered with ${response.status}`)
    }
    return ((await response.json()) as { data: { id: string } }).data.id
  }
}

async function works(post: Post): Promise<Record<Work, () => Promise<void>>> {
  const nodes = await Promise.all(
    Array.from({ length: CONNECTIONS }, (_, index) => post('/nodes', { name: `updated-${index}` }))
  )
  const project = await post('/projects', { name: 'updated' })
  let count = 0
  return {
    'update of nodes': async () => {
      const node = nodes[count % CONNECTIONS]
      await post(`/nodes/${node}`, { name: `named-${count++}` })
    },
    'update of one project': async () => {
      await post(`/projects/${project}`, { name: `named-${count++}` })
    },
    'creation of projects': async () => {
      await post('/projects', { name: `project-${count++}` })
    },
    'creation of nodes': async () => {
      await post('/nodes', { name: `node-${count++}` })
    },
  }
}

/** Works take turns; the first turn of each is to warm up. */
async function costs(hub: Measured, all: Record<Work, () => Promise<void>>) {
  const measured = new Map<Work, Cost[]>()
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, work] of Object.entries(all) as [Work, () => Promise<void>][]) {
      const cost = await costOf(hub, work)
      if (round > 0) {
        measured.set(name, [...(measured.get(name) ?? []), cost])
      }
    }
  }
  return measured
}

async function costOf(hub: Measured, work: () => Promise<void>): Promise<Cost> {
  const { pid } = hub
  const server = cpuMicroseconds(pid)
  const postgres = postgresMicroseconds()
  await sixteenAtOnce(WRITES, work)
  await untilDone(hub)
  return {
    server: (cpuMicroseconds(pid) - server) / WRITES,
    database: (postgresMicroseconds() - postgres) / WRITES,
  }
}

const sixteenAtOnce = (count: number, work: () => Promise<unknown>): Promise<void> =>
  repeat({ count, connections: CONNECTIONS }, work)

/** What creations leave to be done later: buckets, clients, permissions, events and their seals. */
async function secondsUntilIdle(hub: Measured, post: Post): Promise<number> {
  const projectId = await post('/projects', { name: 'many-analyses' })
  let count = 0
  await sixteenAtOnce(CREATED, () => post('/nodes', { name: `later-node-${count++}` }))
  await sixteenAtOnce(CREATED, () => post('/analyses', { projectId, name: `later-${count++}` }))
  const answered = performance.now()
  await untilDone(hub)
  return (performance.now() - answered) / 1_000
}

/** What was taken from the outbox may still be on its way through the process. */
async function untilDone({ pid, reader }: Measured): Promise<void> {
  let used: number
  do {
    used = cpuMicroseconds(pid)
    await delay(POLL_INTERVAL_MS)
  } while (cpuMicroseconds(pid) - used > IDLE_US || (await isBusy(reader)))
}

async function isBusy(reader: pg.Pool): Promise<boolean> {
  const { rows } = await reader.query<{ busy: boolean }>(
    `select exists (select from outbox) or exists (select from tasks where due_at <= now() + interval '1 s') as busy`
  )
  return rows[0]!.busy
}

function report(measured: ReadonlyMap<Work, readonly Cost[]>): void {
  for (const [work, each] of measured) {
    const server = median(each.map((cost) => cost.server))
    const ofDatabase = median(each.map((cost) => cost.database))
    console.log(
      `${work}: ${server.toFixed(0)} us of the server (aim ${WANTED[work]}), ${ofDatabase.toFixed(0)} us of the database`
    )
  }
}
