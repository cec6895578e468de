import { randomBytes } from 'node:crypto'
import { Redis } from 'ioredis'

import { freePort } from './free_port.js'
import { PACKAGES } from './packages.js'
import { RealServer, type Recipe } from './real_server.js'

/** Every write is in the append-only file before it is answered, so that a killed server comes back with it. */
const recipe: Recipe = {
  name: 'redis',
  packages: PACKAGES.redis,
  account: 'redis',
  stopSignal: 'SIGTERM',
  async prepare(home) {
    const port = await freePort()
    const password = randomBytes(24).toString('hex')
    const url = `redis://:${password}@127.0.0.1:${port}`
    const configuration = await home.write(
      'redis.conf',
      [
        `port ${port}`,
        'bind 127.0.0.1',
        `requirepass ${password}`,
        `dir ${home.path}`,
        'save ""',
        'appendonly yes',
        'appendfsync no',
      ].join('\n')
    )

    return {
      url,
      async boot() {
        await home.spawn('/usr/bin/redis-server', [configuration])
        await home.until(() => ping(url))
      },
    }
  },
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
  return RealServer.start(recipe)
}
