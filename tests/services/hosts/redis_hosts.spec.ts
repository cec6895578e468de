import { test } from '@japa/runner'
import type { Redis } from 'ioredis'

import { RedisEmitter } from '#realtime/redis_emitter'
import { RedisSignals } from '#signals/redis_signals'
import { connectRedis } from '#signals/redis'
import { CountingProxy } from '#tests/helpers/hosts/counting_proxy'
import { hostsSuite } from '#tests/helpers/hosts/hosts_suite'
import { eventually } from '#tests/helpers/eventually'
import { startRedis, startReplica, startSentinels } from '#tests/services/servers/redis'

/** A master, its replica and three sentinels, and the address of the hub for them. */
async function startAll() {
  const master = await startRedis()
  const replica = await startReplica(master)
  const sentinels = await startSentinels(master)
  const proxies = await Promise.all(sentinels.map(({ url }) => CountingProxy.to(portOf(url))))
  const { password } = new URL(master.url)
  const hosts = proxies.map(({ port }) => `127.0.0.1:${port}`).join()
  const stop = async () => {
    await Promise.all(proxies.map((proxy) => proxy.close()))
    await Promise.all([...sentinels, replica, master].map((server) => server.stop()))
  }
  return { url: `redis+sentinel://:${password}@${hosts}/hub?db=1`, master, proxies, password, stop }
}

hostsSuite('Redis', async () => {
  const servers = await startAll()
  const redis = await connectRedis(servers.url, () => {})
  return {
    ...servers,
    resolver: {
      get current() {
        return redis.status === 'ready' ? serverOf(redis) : undefined
      },
      suspect: () => redis.disconnect(true),
    },
    write: async () => void (await redis.set('note', 'written')),
    failOver: () => servers.master.kill(),
    async stop() {
      redis.disconnect()
      await servers.stop()
    },
  }
})

test.group('Redis with sentinels', () => {
  test('signals and events of sockets are carried again after a failover', async ({
    assert,
    cleanup,
  }) => {
    const { url, master, stop } = await startAll()
    cleanup(stop)
    const [here, there] = await Promise.all([
      RedisSignals.connect(url, () => {}),
      RedisSignals.connect(url, () => {}),
    ])
    const emitter = await RedisEmitter.connect(url)
    cleanup(async () => {
      emitter.close()
      await Promise.all([here.close(), there.close()])
    })
    const received: string[] = []
    await there.subscribe('channel', (payload) => received.push(payload))
    const publish = (payload: string) =>
      here.publish([{ channel: 'channel', payload }]).catch(() => {})
    await eventually(() => here.isReady && there.isReady)
    await publish('before')
    await eventually(() => received.includes('before'))

    await master.kill()
    await eventually(async () => {
      await publish('after')
      return received.includes('after')
    })
    const emission = { namespace: '/resources', room: 'nodes', event: 'nodeCreated', args: [] }
    await eventually(() =>
      emitter.emit([emission as never]).then(
        () => true,
        () => false
      )
    )
    await eventually(() => here.isReady && there.isReady)
    assert.equal(received[0], 'before')
  })
})

const portOf = (url: string): number => Number(new URL(url).port)

const serverOf = ({ stream }: Redis) => {
  const { remoteAddress, remotePort } = stream as { remoteAddress?: string; remotePort?: number }
  return { host: remoteAddress!, port: remotePort! }
}
