/**
 * What one hub carries, and what two and three carry that share PostgreSQL, RabbitMQ and Redis. The processors of this
 * machine are shared by all of them, so the measure is the processor time of the hubs for each operation, with all that
 * follows from it: so many hubs carry as many times more as there are of them, less what each operation costs more among
 * them. The time of the servers shows where the next limit is. `BENCH_OPERATIONS` says how many of each are measured, and
 * `BENCH_ROUNDS` how often.
 */
import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'

import pg from 'pg'
import { io, type Socket } from 'socket.io-client'

import { HubProcesses } from '#tests/helpers/hub_processes'
import { connected } from '#tests/helpers/realtime/sockets'
import { MessengerCaller } from '#tests/services/servers/messenger_caller'
import { startPostgres } from '#tests/services/servers/postgres'
import { livingIn } from '#tests/services/servers/process_table'
import { startRabbitmq } from '#tests/services/servers/rabbitmq'
import type { RealServer } from '#tests/services/servers/real_server'
import { startRedis } from '#tests/services/servers/redis'
import { logIn } from '#tests/services/servers/served_pool'
import { cpuMicroseconds, repeat } from './load.js'
import { median } from './median.js'

const OPERATIONS = Number(process.env.BENCH_OPERATIONS ?? 1_500)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3)
const MOST_HUBS = 3
const CONNECTIONS = 16
const NODES = 50
const SOCKETS = 60
const POLL_INTERVAL_MS = 200
/** Processes without work use no more between two looks. */
const IDLE_US = 20_000
/** How many times more two hubs have to carry than one. */
const LEAST_OF_TWO = 1.7

interface Cost {
  readonly hubs: number
  readonly postgres: number
  readonly rabbitmq: number
  readonly redis: number
}

type Servers = Record<'postgres' | 'rabbitmq' | 'redis', RealServer>
type Work = (origin: string) => Promise<unknown>

/** Hubs that share everything, and what is done with them. */
class Growth {
  readonly #servers: Servers
  readonly #reader: pg.Pool
  readonly #hubs: HubProcesses[] = []
  readonly #variables: Record<string, string>
  #turn = 0

  static async begin(): Promise<Growth> {
    const [postgres, rabbitmq, redis] = await Promise.all([
      startPostgres(),
      startRabbitmq(),
      startRedis(),
    ])
    return new Growth({ postgres, rabbitmq, redis })
  }

  private constructor(servers: Servers) {
    this.#servers = servers
    this.#reader = new pg.Pool({ connectionString: servers.postgres.url, max: 1 })
    this.#reader.on('error', () => {})
    this.#variables = {
      APP_KEY: randomBytes(24).toString('hex'),
      DATABASE_URL: servers.postgres.url,
      AMQP_URL: servers.rabbitmq.url,
      REDIS_URL: servers.redis.url,
      IDENTITY_ADMIN_PASSWORD: 'start123',
      CLIENT_SECRET: randomBytes(24).toString('hex'),
      JOBS: 'bus,outbox,sweeps',
      RATE_LIMIT_USER: '0',
      RATE_LIMIT_CLIENT: '0',
      LOG_LEVEL: 'error',
    }
  }

  get origins(): string[] {
    return this.#hubs.map(({ origin }) => origin)
  }

  async addHub(): Promise<void> {
    this.#hubs.push(await HubProcesses.start('server', { variables: this.#variables }))
  }

  /** What an operation costs, with what follows from it. The hubs take turns. */
  async costOf(work: Work): Promise<Cost> {
    const before = this.#used()
    await repeat({ count: OPERATIONS, connections: CONNECTIONS }, () => work(this.#nextOrigin()))
    await this.#untilIdle()
    const after = this.#used()
    const each = (name: keyof Cost) => (after[name] - before[name]) / OPERATIONS
    return {
      hubs: each('hubs'),
      postgres: each('postgres'),
      rabbitmq: each('rabbitmq'),
      redis: each('redis'),
    }
  }

  async end(): Promise<void> {
    await Promise.all(this.#hubs.map((hub) => hub.remove()))
    await this.#reader.end()
    await Promise.all(Object.values(this.#servers).map((server) => server.stop()))
  }

  #nextOrigin(): string {
    const { origins } = this
    return origins[this.#turn++ % origins.length]!
  }

  #used(): Cost {
    const { postgres, rabbitmq, redis } = this.#servers
    return {
      hubs: sum(this.#hubs.map(({ pid }) => pid)),
      postgres: sum(livingIn(postgres.folder)),
      rabbitmq: sum(livingIn(rabbitmq.folder)),
      redis: sum(livingIn(redis.folder)),
    }
  }

  async #untilIdle(): Promise<void> {
    let used: number
    do {
      used = this.#used().hubs
      await delay(POLL_INTERVAL_MS)
    } while (this.#used().hubs - used > IDLE_US || (await this.#isBusy()))
  }

  async #isBusy(): Promise<boolean> {
    const { rows } = await this.#reader.query<{ busy: boolean }>(
      'select exists (select from outbox) as busy'
    )
    return rows[0]!.busy
  }
}

const growth = await Growth.begin()
try {
  await growth.addHub()
  const works = await worksOf(growth)
  const sockets: Socket[] = []
  const costs = new Map<string, Cost[]>()
  for (let hubs = 1; hubs <= MOST_HUBS; hubs++) {
    if (hubs > 1) {
      await growth.addHub()
    }
    for (const [name, { work, hasSockets }] of Object.entries(works)) {
      if (hasSockets) {
        sockets.push(...(await listeners(growth.origins)))
      }
      costs.set(name, [...(costs.get(name) ?? []), await medianCost(growth, work)])
      sockets.splice(0).forEach((socket) => socket.disconnect())
    }
  }
  report(costs)
} finally {
  await growth.end()
}

interface NamedWork {
  readonly work: Work
  readonly hasSockets?: boolean
}

async function worksOf({ origins }: Growth): Promise<Record<string, NamedWork>> {
  const token = await logIn(origins[0]!)
  const ask = asking(token)
  const nodes: string[] = []
  for (let index = 0; index < NODES; index++) {
    const { id } = await ask(origins[0]!, '/core/nodes', { name: `growing-${index}` })
    nodes.push(id)
  }
  let count = 0
  const update: Work = (origin) => {
    const node = nodes[count++ % NODES]
    return ask(origin, `/core/nodes/${node}`, { name: `named-${count}` })
  }
  const party = new MessengerCaller(origins[0]!, token)
  return {
    'a page of 50 nodes read': { work: (origin) => ask(origin, '/core/nodes?page[limit]=50') },
    'a node updated and audited': { work: update },
    [`the same with ${SOCKETS} sockets`]: { work: update, hasSockets: true },
    'a message sent, pulled, acknowledged': {
      work: async (origin) => {
        const caller = party.at(origin)
        await caller.send(party)
        await caller.acknowledge(await caller.pull())
      },
    },
  }
}

function asking(token: string) {
  const headers = { 'authorization': `Bearer ${token}`, 'content-type': 'application/json' }
  return async (origin: string, path: string, body?: object): Promise<{ id: string }> => {
    const request = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers }
    const response = await fetch(origin + path, request)
    if (!response.ok) {
      throw new Error(`${path} was answered with ${response.status}: ${await response.text()}`)
    }
    return ((await response.json()) as { data: { id: string } }).data
  }
}

/** Sockets that receive all changes of nodes, the same number in all, however many hubs there are. */
async function listeners(origins: readonly string[]): Promise<Socket[]> {
  const token = await logIn(origins[0]!)
  return Promise.all(
    Array.from({ length: SOCKETS }, async (_, index) => {
      const origin = origins[index % origins.length]!
      const options = { path: '/core/socket.io', transports: ['websocket'], forceNew: true }
      const socket = io(`${origin}/resources`, { ...options, auth: { token } })
      await connected(socket)
      await socket.emitWithAck('nodeSubscribe')
      return socket
    })
  )
}

/** The first round warms up a hub that is new. */
async function medianCost(hubs: Growth, work: Work): Promise<Cost> {
  const costs: Cost[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    const cost = await hubs.costOf(work)
    if (round > 0) {
      costs.push(cost)
    }
  }
  const of = (name: keyof Cost) => median(costs.map((cost) => cost[name]))
  return {
    hubs: of('hubs'),
    postgres: of('postgres'),
    rabbitmq: of('rabbitmq'),
    redis: of('redis'),
  }
}

function sum(pids: readonly number[]): number {
  return pids.reduce((total, pid) => total + cpuMicroseconds(pid), 0)
}

function report(costs: ReadonlyMap<string, readonly Cost[]>): void {
  console.log('hubs  µs of hubs  carried  PostgreSQL  RabbitMQ  Redis  operation')
  for (const [name, each] of costs) {
    each.forEach((cost, index) => {
      const carried = ((index + 1) * each[0]!.hubs) / cost.hubs
      if (index === 1 && carried < LEAST_OF_TWO) {
        process.exitCode = 1
      }
      const columns = [cost.hubs, carried, cost.postgres, cost.rabbitmq, cost.redis]
      const texts = columns.map((value, column) => value.toFixed(column === 1 ? 2 : 0).padStart(8))
      console.log(`${index + 1}     ${texts.join('  ')}  ${name}`)
    })
  }
}
