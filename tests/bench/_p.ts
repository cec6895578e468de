/**
 * What a write costs with all that follows from it: the relay, the audit trail and its seals, notices, and calls to a provider
 * elsewhere. One process does everything; sixteen ask at once, and a turn ends when the outbox and the tasks are empty. In
 * processor time of the process and of PostgreSQL, for each write. `BENCH_ROUNDS` and `BENCH_WRITES` say how often and how many;
 * `BENCH_ROOT` names another checkout whose build is measured.
 */
import { setTimeout as delay } from 'node:timers/promises'

import pg from 'pg'

import { cpuMicroseconds } from './load.js'
import { median } from './median.js'
import { postgresMicroseconds } from './processors.js'
import { HubProcesses } from '#tests/helpers/hub_processes'
import { testDatabase } from '#tests/helpers/database/test_database'
import { StandInProvider, SYSTEM } from '#tests/unit/identity/stand_in/stand_in_provider'

const CONNECTIONS = 16
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)
const WRITES = Number(process.env.BENCH_WRITES ?? 2_000)
const LOOK_AGAIN_MS = 200
/** A process without work uses no more between two looks. */
const IDLE_US = 10_000

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

const standIn = await StandInProvider.start()
const database = await testDatabase()
const reader = new pg.Pool({ connectionString: database.url, max: 1 })
let hub: HubProcesses | undefined
try {
  hub = await HubProcesses.start('server', {
    ...(process.env.BENCH_ROOT && { root: process.env.BENCH_ROOT }),
    variables: {
      DATABASE_URL: database.url,
      IDENTITY_URL: standIn.url,
      CLIENT_SECRET: SYSTEM.clientSecret,
      RATE_LIMIT_USER: '0',
      RATE_LIMIT_CLIENT: '0',
      LOG_LEVEL: 'error',
      NODE_OPTIONS: process.env.BENCH_NODE_OPTIONS,
    },
  })
  report(await costs(hub.pid, await works(hub.origin, standIn.administrator())))
} finally {
  await hub?.remove()
  await reader.end()
  await standIn.goAway()
  await database.stop()
}

async function works(origin: string, token: string): Promise<Record<Work, () => Promise<void>>> {
  const headers = { 'authorization': `Bearer ${token}`, 'content-type': 'application/json' }
  const post = async (path: string, body: object) => {
    const response = await fetch(`${origin}/core${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    if (!response.ok) {
      throw new Error(`POST ${path} was answered with ${response.status}`)
    }
    return ((await response.json()) as { data: { id: string } }).data.id
  }
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
async function costs(pid: number, all: Record<Work, () => Promise<void>>) {
  const measured = new Map<Work, Cost[]>()
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, work] of Object.entries(all) as [Work, () => Promise<void>][]) {
      process.kill(pid, 'SIGUSR2')
      const cost = await costOf(pid, work)
      process.kill(pid, 'SIGUSR2')
      await delay(300)
      if (round > 0) {
        measured.set(name, [...(measured.get(name) ?? []), cost])
      }
    }
  }
  return measured
}

async function costOf(pid: number, work: () => Promise<void>): Promise<Cost> {
  const server = cpuMicroseconds(pid)
  const postgres = postgresMicroseconds()
  let left = WRITES
  const connection = async () => {
    while (left-- > 0) {
      await work()
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, connection))
  await untilDone(pid)
  return {
    server: (cpuMicroseconds(pid) - server) / WRITES,
    database: (postgresMicroseconds() - postgres) / WRITES,
  }
}

/** What was taken from the outbox may still be on its way through the process. */
async function untilDone(pid: number): Promise<void> {
  let used: number
  do {
    used = cpuMicroseconds(pid)
    await delay(LOOK_AGAIN_MS)
  } while (cpuMicroseconds(pid) - used > IDLE_US || (await isBusy()))
}

async function isBusy(): Promise<boolean> {
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
