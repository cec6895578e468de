import { Redis } from 'ioredis'

import { planRedis } from '#tests/services/servers/redis'
import type { Example, Purpose } from './example.js'
import type { Host } from './network.js'
import { startUnit, type Recipe } from './servers.js'
import type { Unit } from './unit.js'
import { until } from './until.js'

interface Kind {
  readonly name: 'redis' | 'redis-sentinel'
  readonly example: string
  readonly args: readonly string[]
  readonly purpose: Purpose
  readonly port: number
}

const SERVER: Kind = {
  name: 'redis',
  example: 'redis.conf',
  args: [],
  purpose: 'redis',
  port: 6379,
}

const SENTINEL: Kind = {
  name: 'redis-sentinel',
  example: 'sentinel.conf',
  args: ['--sentinel'],
  purpose: 'sentinel',
  port: 26_379,
}

async function urlOf({ purpose, port }: Kind, { name }: Host, example: Example): Promise<string> {
  return `redis://:${await example.password(purpose)}@${name}:${port}`
}

const recipe = (kind: Kind, host: Host, example: Example): Recipe => ({
  name: kind.name,
  stopSignal: 'SIGTERM',
  async prepare(home) {
    const settings = await example.file(host, kind.example, { '/var/lib/redis': home.path })
    const configuration = await home.write(kind.example, settings)
    return planRedis(home, await urlOf(kind, host, example), [configuration, ...kind.args])
  },
})

/** Redis on several hosts, with a sentinel on each. */
export class RedisCluster {
  readonly servers: readonly Unit[]
  readonly sentinels: readonly Unit[]
  readonly #example: Example

  static async start(hosts: readonly Host[], example: Example): Promise<RedisCluster> {
    const startAll = (kind: Kind) =>
      Promise.all(hosts.map((host) => startUnit(host, recipe(kind, host, example))))
    const servers = await startAll(SERVER)
    const cluster = new RedisCluster(servers, await startAll(SENTINEL), example)
    await cluster.isWhole()
    return cluster
  }

  private constructor(servers: readonly Unit[], sentinels: readonly Unit[], example: Example) {
    this.servers = servers
    this.sentinels = sentinels
    this.#example = example
  }

  get units(): readonly Unit[] {
    return [...this.servers, ...this.sentinels]
  }

  /** Waits until each sentinel knows the others, and two replicas that respond. */
  async isWhole(): Promise<void> {
    await until('the sentinels know each other and two replicas', async () => {
      const all = await Promise.all(this.sentinels.map(({ host }) => this.#knowsAll(host)))
      return all.every((isSo) => isSo)
    })
  }

  /** The server that the sentinels call the master. */
  master(): Promise<Unit> {
    return until('the sentinels know a master', async () => {
      const { host } = this.sentinels.find(({ isRunning }) => isRunning)!
      const [name] = await this.#ask<string[]>(host, 'get-master-addr-by-name', 'hub')
      return this.servers.find(({ host: each }) => each.name === name || each.address === name)
    })
  }

  /** Makes a replica the master, as an administrator does. */
  async switchOver(): Promise<void> {
    await until('a sentinel begins to switch', () =>
      this.#ask(this.sentinels[0]!.host, 'failover', 'hub')
    )
  }

  async #knowsAll(host: Host): Promise<boolean> {
    try {
      const [sentinels, replicas] = await Promise.all([
        this.#ask<unknown[]>(host, 'sentinels', 'hub'),
        this.#ask<string[][]>(host, 'replicas', 'hub'),
      ])
      const working = replicas.filter((fields) => fields[fields.indexOf('flags') + 1] === 'slave')
      return sentinels.length === 2 && working.length === 2
    } catch {
      return false
    }
  }

  async #ask<Answer>(host: Host, ...args: string[]): Promise<Answer> {
    const url = await urlOf(SENTINEL, host, this.#example)
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
}
