import { randomBytes } from 'node:crypto'
import { Redis } from 'ioredis'

import { eventually } from '#tests/helpers/eventually'
import { freePort } from './free_port.js'
import type { Home } from './home.js'
import { PACKAGES } from './packages.js'
import { RealServer, type Plan, type Recipe } from './real_server.js'

/** Every write is in the append-only file before it is answered, so that a killed server comes back with it. */
const recipe = (master?: RealServer): Recipe => ({
  name: 'redis',
  packages: PACKAGES.redis,
  account: 'redis',
  stopSignal: 'SIGTERM',
  async prepare(home) {
    const port = await freePort()
    const password = master ? new URL(master.url).password : randomBytes(24).toString('hex')
    const url = `redis://:${password}@127.0.0.1:${port}`
    const configuration = await home.write(
      'redis.conf',
      [
        `port ${port}`,
        'bind 127.0.0.1',
        `requirepass ${password}`,
        `masterauth ${password}`,
        ...(master ? [`replicaof 127.0.0.1 ${new URL(master.url).port}`] : []),
        `dir ${home.path}`,
        'save ""',
        'appendonly yes',
        'appendfsync no',
      ].join('\n')
    )

    return planRedis(home, url, [configuration])
  },
})

/** A sentinel that watches a master under the name `hub`; two must agree that it is down. */
const sentinelRecipe = (master: RealServer): Recipe => ({
  name: 'redis-sentinel',
  packages: PACKAGES.redis,
  account: 'redis',
  stopSignal: 'SIGTERM',
  async prepare(home) {
    const port = await freePort()
    const { port: masterPort, password } = new URL(master.url)
    const url = `redis://127.0.0.1:${port}`
    const configuration = await home.write(
      'sentinel.conf',
      [
        `port ${port}`,
        'bind 127.0.0.1',
        `dir ${home.path}`,
        `sentinel monitor hub 127.0.0.1 ${masterPort} 2`,
        `sentinel auth-pass hub ${password}`,
        'sentinel down-after-milliseconds hub 1000',
        'sentinel failover-timeout hub 10000',
      ].join('\n')
    )
    return planRedis(home, url, [configuration, '--sentinel'])
  },
})

/** How a Redis or a sentinel is run. */
export function planRedis(home: Home, url: string, args: string[]): Plan {
  return {
    url,
    async boot() {
      await home.spawn('/usr/bin/redis-server', args)
      await home.until(() => ping(url))
    },
  }
}

async function ping(url: string): Promise<void> {
  const client = new Redis(url, { lazyConnect: true, retryStrategy: null, connectTimeout: 1000 })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.ping()
  } finally {
    client.disconnect()
  }
}

/** A Redis of the test's own, with a password. */
export function startRedis(): Promise<RealServer> {
  return RealServer.start(recipe())
}

export function startReplica(master: RealServer): Promise<RealServer> {
  return RealServer.start(recipe(master))
}

/** Three sentinels that know each other and the only replica of the master. */
export async function startSentinels(master: RealServer): Promise<RealServer[]> {
  const sentinels = await Promise.all([1, 2, 3].map(() => RealServer.start(sentinelRecipe(master))))
  await Promise.all(sentinels.map(({ url }) => eventually(() => knowsAll(url))))
  return sentinels
}

async function knowsAll(url: string): Promise<boolean> {
  const client = new Redis(url, { retryStrategy: null })
  client.on('error', () => {})
  try {
    const [sentinels, replicas] = await Promise.all([
      client.call('sentinel', 'sentinels', 'hub'),
      client.call('sentinel', 'replicas', 'hub'),
    ])
    return (sentinels as unknown[]).length === 2 && (replicas as unknown[]).length === 1
  } finally {
    client.disconnect()
  }
}
