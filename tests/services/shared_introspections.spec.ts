import { drivers } from '@adonisjs/core/encryption'
import { EncryptionFactory } from '@adonisjs/core/factories/encryption'
import { test } from '@japa/runner'
import { Redis } from 'ioredis'

import { SharedIntrospections } from '#auth/verification/shared_introspections'
import { TokenVerifier } from '#auth/verification/token_verifier'
import { connectRedis, type RedisConnection } from '#signals/redis'
import type { RealServer } from '#tests/services/servers/real_server'
import { startRedis } from '#tests/services/servers/redis'
import { StandInProvider } from '#tests/unit/identity/stand_in/stand_in_provider'
import { externalProvider } from '#tests/unit/identity/subjects'
import { eventually } from '#tests/helpers/eventually'

const INTROSPECTION = '/token/introspect'
const KEY = 'a key of at least thirty-two characters'

test.group('Introspection results, shared through Redis', (group) => {
  let server: RealServer
  let redis: Redis
  let standIn: StandInProvider
  let connections: RedisConnection[]

  group.setup(async () => {
    server = await startRedis()
    redis = new Redis(server.url)
    redis.on('error', () => {})
    return async () => {
      redis.disconnect()
      await server.stop()
    }
  })

  group.each.setup(async () => {
    await redis.flushall()
    connections = []
    standIn = await StandInProvider.start()
    return async () => {
      connections.forEach((connection) => connection.disconnect())
      await standIn.goAway()
    }
  })

  /** A process of an installation: a verifier with its own memory and connections. */
  const aProcess = async (key = KEY) => {
    const connection = await connectRedis(server.url, () => {}, { commandTimeout: 250 })
    connections.push(connection)
    await new Promise<void>((resolve) => connection.once('ready', () => resolve()))
    const gcm = await drivers.aes256gcm({ id: 'hub', keys: [key] }).resolver(undefined as never)
    const encryption = new EncryptionFactory(gcm).create()
    const seal = {
      seal: (value: unknown, purpose: string) => encryption.encrypt(value, { purpose }),
      unseal: (sealed: string, purpose: string) => encryption.decrypt(sealed, purpose),
    }
    const shared = new SharedIntrospections({ redis: connection, seal })
    return new TokenVerifier(externalProvider(standIn), { shared, opaqueTokens: true })
  }

  const processes = (count: number) => Promise.all(Array.from({ length: count }, () => aProcess()))
  const keptKeys = () => redis.keys('hub:introspection:*')

  test('results are requested once by many processes, also concurrently', async ({ assert }) => {
    const tokens = standIn.mint()
    const requested = (await processes(8)).flatMap((verifier) => [
      verifier.verify(tokens),
      verifier.verify(tokens),
    ])
    const actors = await Promise.all(requested)
    assert.isTrue(actors.every((actor) => actor?.id === standIn.ann.id))
    assert.isTrue(actors.every((actor) => actor!.permissions.has('node_create')))
    const late = await aProcess()
    assert.equal((await late.verify(tokens))?.id, standIn.ann.id)
    assert.equal(standIn.count(INTROSPECTION), 1)
  })

  test('results are shared for inactive tokens, too', async ({ assert }) => {
    const token = standIn.mint()
    standIn.revoke(token)
    for (const verifier of await processes(3)) {
      assert.isUndefined(await verifier.verify(token))
    }
    assert.equal(standIn.count(INTROSPECTION), 1)
  })

  test('results are not requested for forged tokens', async ({ assert }) => {
    const [header, claims] = standIn.mint().split('.')
    const verifier = await aProcess()
    assert.isUndefined(await verifier.verify(`${header}.${claims}.AAAA`))
    assert.equal(standIn.count(INTROSPECTION), 0)
    assert.isEmpty(await keptKeys())
  })

  test('reveal neither tokens nor accounts nor permissions in Redis', async ({ assert }) => {
    const token = standIn.mint()
    const verifier = await aProcess()
    await verifier.verify(token)
    const [key] = await keptKeys()
    const everything = `${key} ${await redis.get(key!)}`
    for (const secret of [token, token.split('.')[2]!, standIn.ann.id, 'node_create']) {
      assert.notInclude(everything, secret)
    }
    assert.isAtMost(await redis.pttl(key!), 60_000)
  })

  test('results are accepted only if sealed for that token', async ({ assert }) => {
    const [good, revoked] = [standIn.mint(), standIn.mint()]
    await (await aProcess()).verify(good)
    const [key] = await keptKeys()
    const sealed = (await redis.get(key!))!
    standIn.revoke(revoked)
    await (await aProcess()).verify(revoked)
    const other = (await keptKeys()).find((name) => name !== key)!

    for (const planted of [sealed, '{"introspection":{"active":true},"askedAt":9e15}', '']) {
      await redis.set(other, planted)
      assert.isUndefined(await (await aProcess()).verify(revoked))
    }
    const elsewhere = await aProcess('another key of thirty-two characters')
    const before = standIn.count(INTROSPECTION)
    await elsewhere.verify(good)
    assert.equal(standIn.count(INTROSPECTION), before + 1)
  })

  test('results are requested anyway if another process takes too long', async ({ assert }) => {
    const token = standIn.mint()
    await (await aProcess()).verify(token)
    const [key] = await keptKeys()
    await redis.del(key!)
    const asking = key!.replace('hub:introspection:', 'hub:introspection:asking:')
    await redis.set(asking, 'not us')
    const startedAt = performance.now()
    assert.isDefined(await (await aProcess()).verify(token))
    assert.isBelow(performance.now() - startedAt, 10_000)
  }).retry(2)

  test('results are requested by every process while Redis is unresponsive or unavailable', async ({
    assert,
  }) => {
    const verifier = await aProcess()
    await server.pause()
    try {
      const startedAt = performance.now()
      assert.isDefined(await verifier.verify(standIn.mint()))
      assert.isBelow(performance.now() - startedAt, 10_000)
    } finally {
      server.resume()
    }
    await server.kill()
    assert.isDefined(await verifier.verify(standIn.mint()))
    await server.restart()
    await eventually(() => redis.ping().then(Boolean, () => false))
  }).retry(2)
})
