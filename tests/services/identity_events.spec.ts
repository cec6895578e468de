import { test } from '@japa/runner'
import { Redis } from 'ioredis'

import { ExternalProvider } from '#auth/external/external_provider'
import type { ProviderChange } from '#auth/provider'
import { eventually } from '#tests/helpers/eventually'
import type { RealServer } from '#tests/services/servers/real_server'
import { startRedis } from '#tests/services/servers/redis'
import { settingsFor } from '#tests/unit/identity/subjects'

test.group('Events of an external identity provider', (group) => {
  let redis: RealServer
  let publisher: Redis
  let warnings: { message: string; details: unknown }[]
  let published: ProviderChange[]
  let provider: ExternalProvider

  group.setup(async () => {
    redis = await startRedis()
    publisher = new Redis(redis.url)
    publisher.on('error', () => {})
    return async () => {
      publisher.disconnect()
      await redis.stop()
    }
  })

  group.each.setup(() => {
    warnings = []
    published = []
    const logger = {
      info() {},
      warn: (details: unknown, message: string) => void warnings.push({ details, message }),
    }
    const settings = settingsFor({ url: 'http://127.0.0.1:9' }, { redisUrl: redis.url })
    provider = new ExternalProvider({ ...settings, logger: logger as never })
    return async () => {
      await provider.close()
      await eventually(async () => (await subscribers()) === 0)
    }
  })

  const listen = async (listener = (change: ProviderChange) => void published.push(change)) => {
    const stop = await provider.onChange(listener)
    await eventually(async () => (await subscribers()) > 0)
    return stop
  }

  const subscribers = async () => Number((await publisher.pubsub('NUMSUB', 'realm'))[1])

  const change = (type: string, event: string, data: object = { id: '1', name: 'x' }) =>
    publisher.publish(type, JSON.stringify({ type, event, data }))

  test('events of realms, users and clients are delivered', async ({ assert }) => {
    await listen()
    await change('realm', 'deleted', { id: 'r', name: 'site-a' })
    await change('user', 'updated', { id: 'u' })
    await change('client', 'created', { id: 'c', name: 'registry', realmId: 'r' })
    await change('role', 'created')
    await eventually(() => published.length >= 3)
    assert.deepEqual(published, [
      { type: 'realm', event: 'deleted', data: { id: 'r', name: 'site-a' } },
      { type: 'user', event: 'updated', data: { id: 'u' } },
      { type: 'client', event: 'created', data: { id: 'c', name: 'registry', realmId: 'r' } },
    ])
    assert.isEmpty(warnings)
  })

  test('that are malformed are ignored and logged without their content', async ({ assert }) => {
    await listen()
    const nonsense = [
      'not JSON',
      'null',
      '[]',
      '{"type":"realm","event":"deleted"}',
      '{"type":"realm","event":"deleted","data":{"id":7}}',
      '{"type":"role","event":"deleted","data":{"id":"a-secret"}}',
      '{"type":"realm","event":"exploded","data":{"id":"a-secret"}}',
    ]
    for (const message of nonsense) {
      await publisher.publish('realm', message)
    }
    await change('realm', 'created')
    await eventually(() => published.length > 0)
    assert.lengthOf(published, 1)
    assert.lengthOf(warnings, nonsense.length)
    assert.notInclude(JSON.stringify(warnings), 'a-secret')
  })

  test('that fail in a listener do not affect the next ones', async ({ assert }) => {
    await listen((given) => {
      published.push(given)
      throw new Error('not now')
    })
    await change('realm', 'created')
    await change('realm', 'deleted')
    await eventually(() => published.length >= 2)
    assert.lengthOf(published, 2)
    assert.lengthOf(warnings, 2)
  })

  test('events are received again after the connection was lost', async ({ assert }) => {
    await listen()
    await redis.kill()
    await redis.restart()
    await eventually(async () => publisher.status === 'ready' && (await subscribers()) > 0)
    await change('realm', 'deleted')
    await eventually(() => published.length > 0)
    assert.lengthOf(published, 1)
  })

  test('events do not delay a start while Redis is unavailable, and are received later', async ({
    assert,
  }) => {
    await redis.kill()
    const startedAt = performance.now()
    const stop = await provider.onChange((given) => published.push(given))
    assert.isBelow(performance.now() - startedAt, 1_000)
    await redis.restart()
    await eventually(async () => publisher.status === 'ready' && (await subscribers()) > 0)
    await change('user', 'deleted')
    await eventually(() => published.length > 0)
    assert.lengthOf(published, 1)
    await stop()
  })

  test('events are not received after closing', async ({ assert }) => {
    const stop = await listen()
    await stop()
    await eventually(async () => (await subscribers()) === 0)
    assert.equal(await subscribers(), 0)
    await listen()
    await provider.close()
    await eventually(async () => (await subscribers()) === 0)
    assert.equal(await subscribers(), 0)
  })
})
