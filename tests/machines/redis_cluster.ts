import { Redis } from 'ioredis'

import { planRedis } from '#tests/services/servers/redis'
import { exampleFor } from './example.js'
import type { Host } from './network.js'
import { startUnit, type Recipe } from './servers.js'
import type { Unit } from './unit.js'
import { until } from './until.js'

interface Kind {
  readonly name: 'redis' | 'redis-sentinel'
  readonly example: string
  readonly args: readonly string[]
  readonly urlAt: (host: Host, password: string) => string
}

const SERVER: Kind = {
  name: 'redis',
  example: 'redis.conf',
  args: [],
  urlAt: ({ name }, password) => `redis://:${password}@${name}:6379`,
}

const SENTINEL: Kind = {
  name: 'redis-sentinel',
  example: 'sentinel.conf',
  args: ['--sentinel'],
  urlAt: ({ name }) => `redis://${name}:26379`,
}

const recipe = (kind: Kind, host: Host, password: string): Recipe => ({
  name: kind.name,
  stopSignal: 'SIGTERM',
  async prepare(home) {
    const folders = { '/var/lib/redis': home.path }
    const example = await exampleFor(kind.example, { host: host.name, password, folders })
    const configuration = await home.write(kind.example, withoutItself(example, host))
    return planRedis(home, kind.urlAt(host, password), [configuration, ...kind.args])
  },
})

/** The first master follows nobody. */
const withoutItself = (example: string, { name }: Host): string =>
  example.replace(`replicaof ${name} 6379\n`, '')

/** Redis on several hosts, with a sentinel on each. */
export class RedisCluster {
  readonly servers: readonly Unit[]
  readonly sentinels: readonly Unit[]

  static async start(hosts: readonly Host[], password: string): Promise<RedisCluster> {
    const startAll = (kind: Kind) =>
      Promise.all(hosts.map((host) => startUnit(host, recipe(kind, host, password))))
    const servers = await startAll(SERVER)
    const cluster = new RedisCluster(servers, await startAll(SENTINEL))
    await cluster.isWhole()
    return cluster
  }

  private constructor(servers: readonly Unit[], sentinels: readonly Unit[]) {
    this.servers = servers
    this.sentinels = sentinels
  }

  get units(): readonly Unit[] {
    return [...this.servers, ...this.sentinels]
  }

  /** Waits until each sentinel knows the others, and two replicas that respond. */
  async isWhole(): Promise<void> {
    await until('the sentinels know each other and two replicas', async () => {
      const all = await Promise.all(this.sentinels.map(({ host }) => knowsAll(host)))
      return all.every((isSo) => isSo)
    })
  }

  /** The server that the sentinels call the master. */
  master(): Promise<Unit> {
    return until('the sentinels know a master', async () => {
      const { host } = this.sentinels.find(({ isRunning }) => isRunning)!
      const [name] = await askSentinel<string[]>(host, 'get-master-addr-by-name', 'hub')
      return this.servers.find(({ host: each }) => each.name === name || each.address === name)
    })
  }

  /** Makes a replica the master, as an administrator does. */
  async switchOver(): Promise<void> {
    await until('a sentinel begins to switch', () =>
      askSentinel(this.sentinels[0]!.host, 'failover', 'hub')
    )
  }
}

async function knowsAll(host: Host): Promise<boolean> {
  try {
    const [sentinels, replicas] = await Promise.all([
      askSentinel<unknown[]>(host, 'sentinels', 'hub'),
      askSentinel<string[][]>(host, 'replicas', 'hub'),
    ])
    const working = replicas.filter((fields) => fields[fields.indexOf('flags') + 1] === 'slave')
    return sentinels.length === 2 && working.length === 2
  } catch {
    return false
  }
}

async function askSentinel<Answer>(host: Host, ...args: string[]): Promise<Answer> {
  const url = SENTINEL.urlAt(host, '')
  const client = new Redis(url, {
    retryStrategy: null,
    connectTimeout: 2_000,
    commandTimeout: 2_000,
  })
  client.on('error', () => {})
  try {
    return (await client.call('sentinel', ...args)) as Answer
  } finally {
    client.disconnect()
  }
}
