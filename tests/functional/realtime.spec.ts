import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { connect as connectTcp } from 'node:net'

import { httpSettings } from '#http/http_settings'
import { test } from '@japa/runner'
import type { Socket } from 'socket.io-client'

import type { Authenticator } from '#auth/authenticator'
import { IdentityUnavailable } from '#kernel/failures'
import { overrideClock } from '#kernel/clock'
import { OidcProvider } from '#auth/oidc/oidc_provider'
import type { ChangeContent } from '#outbox/entry'
import { emissionsOf } from '#outbox/payloads/emissions'
import type { IdentityProvider } from '#auth/provider'
import { boot, isTogether } from '#tests/helpers/application'
import { eventually } from '#tests/helpers/eventually'
import { identity, REALMS, testAuthenticator } from '#tests/helpers/identities'
import {
  emitWithAck,
  connected,
  received,
  refusal,
  settled,
  socketSite,
} from '#tests/helpers/realtime/sockets'
import { WatchedVerifier } from '#tests/helpers/identity/watched_verifier'
import { StandInProvider } from '#tests/unit/identity/stand_in/stand_in_provider'
import { externalProvider, settingsFor } from '#tests/unit/identity/subjects'
import { useSettings } from '#tests/helpers/settings'
import { stopwatch } from '#tests/helpers/stopwatch'
import { randomPause } from '#tests/helpers/real_time'

/** The platform with its sockets, mounted as the running suite requires. */
async function site(options: Partial<Parameters<typeof socketSite>[0]> = {}) {
  const app = await boot()
  const server = await app.container.make('server')
  await server.boot()
  const [path, prefix] = isTogether() ? ['/core/socket.io', ''] : ['/socket.io', '/core']
  const given = { authenticator: testAuthenticator, path, ...options }
  return socketSite(given, { handle: server.handle.bind(server), prefix })
}

const somebody = (permissions: string[] = ['node_update']) =>
  identity({ realmId: REALMS.other, realmName: 'site', permissions })

/** Less than the 25 seconds after which a server that stops cuts off what is still connected. */
const CUT_OFF_AFTER_MS = 20_000

const someone = (permissions: string[] = ['node_update']) => identity({ permissions })

test.group('Sockets | authentication', (group) => {
  let hub: Awaited<ReturnType<typeof site>>

  group.setup(async () => {
    hub = await site()
    return () => hub.close()
  })

  test('the token may be sent with or without its scheme', async () => {
    const { token } = someone()
    for (const sent of [token, `Bearer ${token}`, `bearer ${token}`]) {
      await connected(hub.connect('/resources', sent))
    }
  })

  test('a client may start with polling', async ({ assert }) => {
    const options = { transports: ['polling', 'websocket'] }
    const socket = await connected(hub.connect('/resources', someone().token, options))
    assert.isNull(await emitWithAck(socket, 'nodeSubscribe'))
  })

  test('members of a realm enter its namespace, however it is written, and the master realm any', async () => {
    for (const { token } of [somebody(), someone()]) {
      await connected(hub.connect(`/resources/${REALMS.other}`, token))
      await connected(hub.connect(`/resources:${REALMS.other}`, token))
    }
  })

  test('a connection with {0} is rejected')
    .with(
      Object.entries({
        'no token': undefined,
        'an unknown token': 'nonsense',
        'an empty token': '',
        'a scheme without a token': 'Bearer ',
        'something that is no text': { token: 'x' },
        'a number': 7,
        'a token that is longer than a token can be': 'x'.repeat(20_000),
      })
    )
    .run(async ({ assert }, [, token]) => {
      const error = await refusal(hub.connect('/resources', token))
      assert.containsSubset(error.data, {
        statusCode: 401,
        code: 'identity_unauthorized',
        message: error.message,
        issues: [],
      })
    })

  test('other realms are closed to members of a realm', async ({ assert }) => {
    const { token } = somebody()
    for (const namespace of [`/resources/${REALMS.master}`, `/resources:${REALMS.master}`]) {
      const error = await refusal(hub.connect(namespace, token))
      assert.equal(error.data?.code, 'permission_denied', namespace)
      assert.include(error.message, 'realm')
    }
  })

  test('a caller without a realm enters none', async ({ assert }) => {
    const { token } = identity({ realmId: null, realmName: null })
    for (const namespace of ['/resources', '/resources/null', `/resources/${REALMS.other}`]) {
      const error = await refusal(hub.connect(namespace, token))
      assert.equal(error.data?.code, 'permission_denied', namespace)
    }
  })

  test('there is no namespace {$self}')
    .with(['/nonsense', '/resources/', '/resources/a/b', '/resources/*', '/resources:a b'])
    .run(async ({ assert }, namespace) => {
      const error = await refusal(hub.connect(namespace, someone().token))
      assert.equal(error.message, 'Invalid namespace')
    })

  test('the root namespace is open to callers with a token, is silent, and offers nothing', async ({
    assert,
  }) => {
    for (const { token } of [someone(), identity({ realmId: null, realmName: null })]) {
      const socket = await connected(hub.connect('/', token))
      const events: unknown[] = []
      socket.onAny((...args) => events.push(args))
      assert.containsSubset(await emitWithAck(socket, 'nodeSubscribe'), { code: 'bad_request' })
      assert.containsSubset(await emitWithAck(socket, 'masterImageSubscribe'), {
        code: 'bad_request',
      })
      const emission = { room: 'node', event: 'changed', payload: 'node' }
      await hub.realtime.emit([
        { namespace: '/resources', ...emission },
        { namespace: '/', ...emission },
      ])
      await settled(socket)
      assert.deepEqual(events, [['pong']])
    }
    for (const token of [undefined, 'nonsense']) {
      const error = await refusal(hub.connect('/', token))
      assert.equal(error.data?.code, 'identity_unauthorized')
    }
  })

  test('clients get a retry error while tokens cannot be verified', async ({ assert, cleanup }) => {
    const away = await site({
      authenticator: { verify: () => Promise.reject(new IdentityUnavailable()) },
    })
    cleanup(() => away.close())
    const error = await refusal(away.connect('/resources', 'any'))
    assert.containsSubset(error.data, { statusCode: 503, code: 'identity_unavailable' })
    assert.isEmpty(away.logged)
  })

  test('an unexpected error is logged without the token', async ({ assert, cleanup }) => {
    const broken = await site({
      authenticator: { verify: () => Promise.reject(new Error('unforeseen')) },
    })
    cleanup(() => broken.close())
    const error = await refusal(broken.connect('/resources', 'a-secret-token'))
    assert.equal(error.data?.code, 'internal_error')
    assert.notInclude(error.message, 'unforeseen')
    assert.lengthOf(broken.logged, 1)
    assert.notInclude(JSON.stringify(broken.logged), 'a-secret-token')
  })

  test('other requests are still handled by the application', async ({ assert }) => {
    const ready = isTogether() ? '/core/' : '/'
    const answer = await fetch(hub.url + ready)
    assert.equal(answer.status, 200)
    assert.properties(await answer.json(), ['version', 'timestamp'])
    const upgrading = request(hub.url + ready, {
      headers: { connection: 'Upgrade', upgrade: 'h2c' },
    }).end()
    const [response] = await once(upgrading, 'response')
    assert.equal(response.statusCode, 200)
    response.resume()
    const beside = isTogether() ? '/core/socket.iox/' : '/socket.iox/'
    assert.equal((await fetch(hub.url + beside)).status, 404)
  })
})

const TABLE: Record<string, { any: string[]; room: string; only?: 'global' | 'realm' }> = {
  analysis: {
    any: ['analysis_update', 'analysis_execution_start', 'analysis_execution_stop'],
    room: 'analysis',
  },
  analysisBucket: { any: ['analysis_update'], room: 'analysisBucket' },
  analysisBucketFile: { any: ['analysis_update'], room: 'analysisBucketFile' },
  analysisLog: { any: ['analysis_update'], room: 'analysisLog' },
  analysisNode: { any: ['analysis_approve'], room: 'analysisNode', only: 'global' },
  analysisNodeIn: { any: ['analysis_approve'], room: 'analysisNode', only: 'realm' },
  analysisNodeOut: { any: ['analysis_update'], room: 'analysisNode', only: 'realm' },
  analysisNodeEvent: { any: ['analysis_update'], room: 'analysisNodeEvent' },
  bucket: { any: ['bucket_update', 'bucket_delete'], room: 'bucket' },
  bucketFile: { any: ['bucket_update', 'bucket_delete'], room: 'bucketFile' },
  masterImage: { any: [], room: 'masterImage' },
  masterImageGroup: { any: [], room: 'masterImageGroup' },
  node: { any: ['node_update'], room: 'node' },
  project: { any: ['project_delete', 'project_update'], room: 'project' },
  projectNode: { any: ['project_approve'], room: 'projectNode', only: 'global' },
  projectNodeIn: { any: ['project_approve'], room: 'projectNode', only: 'realm' },
  projectNodeOut: { any: ['project_update'], room: 'projectNode', only: 'realm' },
  registry: { any: ['registry_manage'], room: 'registry' },
  registryProject: { any: ['registry_manage', 'registry_project_manage'], room: 'registryProject' },
}

const PLACES = { global: '/resources', realm: `/resources/${REALMS.other}` } as const

test.group('Sockets | subscriptions', (group) => {
  let hub: Awaited<ReturnType<typeof site>>

  group.setup(async () => {
    hub = await site()
    return () => hub.close()
  })

  const open = (namespace: string, permissions?: string[]) =>
    connected(hub.connect(namespace, someone(permissions).token))

  const emit = (namespace: string, room: string, payload: unknown = room, event = 'changed') =>
    hub.realtime.emit([{ namespace, room, event, payload }])

  test('to {0} need one of their permissions, and receive events of their room')
    .with(Object.entries(TABLE))
    .run(async ({ assert }, [name, { any, room, only }]) => {
      for (const place of ['global', 'realm'] as const) {
        const without = await open(PLACES[place], ['node_create'])
        if (only && only !== place) {
          assert.containsSubset(await emitWithAck(without, `${name}Subscribe`), {
            code: 'bad_request',
          })
          continue
        }
        const answer = await emitWithAck(without, `${name}Subscribe`)
        if (any.length === 0) {
          assert.isNull(answer)
        } else {
          assert.containsSubset(answer, { code: 'identity_unauthorized', statusCode: 401 })
          const { issues, message } = answer as { issues: { path: string[] }[]; message: string }
          assert.deepEqual(
            issues.map(({ path }) => path[0]),
            any
          )
          assert.include(message, any.join(' or '))
        }
        for (const permission of any) {
          const socket = await open(PLACES[place], [permission])
          const events = received(socket, 'changed')
          assert.isNull(await emitWithAck(socket, `${name}Subscribe`))
          await emit(PLACES[place], room)
          await settled(socket)
          assert.deepEqual(events, [room])
        }
      }
    })

  test('to one record receive events of that record only', async ({ assert }) => {
    const [all, one] = [await open('/resources'), await open('/resources')]
    const [toAll, toOne] = [received(all, 'nodeUpdated'), received(one, 'nodeUpdated')]
    const id = randomUUID()
    assert.isNull(await emitWithAck(all, 'nodeSubscribe'))
    assert.isNull(await emitWithAck(one, 'nodeSubscribe', id))
    const payload = { data: { id, name: 'ü' }, meta: { roomName: 'node', event: 'updated' } }
    for (const room of ['node', `node/${id}`, `node/${randomUUID()}`]) {
      await emit('/resources', room, payload, 'nodeUpdated')
    }
    await Promise.all([settled(all), settled(one)])
    assert.deepEqual(toAll, [payload])
    assert.deepEqual(toOne, [payload])
  })

  test('to a record and to all records receive events twice', async ({ assert }) => {
    const socket = await open('/resources')
    const events = received(socket, 'changed')
    await emitWithAck(socket, 'nodeSubscribe')
    await emitWithAck(socket, 'nodeSubscribe', '1')
    await emit('/resources', 'node')
    await emit('/resources', 'node/1')
    await settled(socket)
    assert.deepEqual(events, ['node', 'node/1'])
  })

  test('in a realm receive events in both spellings, and in no other realm', async ({ assert }) => {
    const names = [`/resources/${REALMS.other}`, `/resources:${REALMS.other}`, '/resources']
    const sockets = await Promise.all(names.map((name) => open(name)))
    const events = sockets.map((socket) => received(socket, 'changed'))
    await Promise.all(sockets.map((socket) => emitWithAck(socket, 'nodeSubscribe')))
    await emit(`/resources/${REALMS.other}`, 'node')
    await Promise.all(sockets.map(settled))
    assert.deepEqual(events, [['node'], ['node'], []])
  })

  test('to all realms are limited to the realm of a member', async ({ assert }) => {
    const { token } = somebody()
    const socket = await connected(hub.connect('/resources', token))
    const events = received(socket, 'nodeUpdated')
    const id = randomUUID()
    assert.isNull(await emitWithAck(socket, 'nodeSubscribe'))
    assert.isNull(await emitWithAck(socket, 'nodeSubscribe', id))
    for (const realmId of [REALMS.master, REALMS.other, null]) {
      const realms = realmId === null ? [] : [realmId]
      const content = { kind: 'node', change: 'updated', id, realms, data: { id, realmId } }
      await hub.realtime.emit(emissionsOf(content as unknown as ChangeContent))
    }
    await settled(socket)
    const own = { data: { id, realmId: REALMS.other } }
    assert.containsSubset(events, [
      { ...own, meta: { namespace: '/resources', roomName: 'node' } },
      { ...own, meta: { namespace: '/resources', roomName: `node/${id}` } },
    ])
    assert.lengthOf(events, 2)
    await emitWithAck(socket, 'nodeUnsubscribe')
    await emitWithAck(socket, 'nodeUnsubscribe', id)
    await hub.realtime.emit([
      {
        namespace: '/resources',
        room: ['node', `${REALMS.other}:node`],
        event: 'nodeUpdated',
        payload: 1,
      },
    ])
    await settled(socket)
    assert.lengthOf(events, 2)
  })

  test('subscriptions are acknowledged to the last callback', async ({ assert }) => {
    const socket = await open('/resources')
    assert.isNull(await emitWithAck(socket, 'nodeSubscribe', '1', null))
    assert.isNull(await emitWithAck(socket, 'nodeSubscribe', null, null))
    const events = received(socket, 'changed')
    await emit('/resources', 'node')
    await emit('/resources', 'node/1')
    await settled(socket)
    assert.deepEqual(events, ['node', 'node/1'])
  })

  test('to unknown topics are rejected: {$self}')
    .with(['nonsenseSubscribe', 'nonsenseUnsubscribe', 'Subscribe', 'nodesubscribe', 'nonsense'])
    .run(async ({ assert }, event) => {
      const socket = await open('/resources')
      assert.containsSubset(await emitWithAck(socket, event, 'id', null), {
        statusCode: 400,
        code: 'bad_request',
      })
      socket.emit(event, 'and nobody waits for an answer')
      await settled(socket)
      assert.isEmpty(hub.logged)
    })

  test('subscriptions need no callback', async ({ assert }) => {
    const socket = await open('/resources')
    const events = received(socket, 'changed')
    socket.emit('nodeSubscribe', 7)
    await settled(socket)
    await emit('/resources', 'node/7')
    await settled(socket)
    assert.deepEqual(events, ['node/7'])
  })

  test('subscriptions end after as many unsubscriptions', async ({ assert }) => {
    const socket = await open('/resources')
    const events = received(socket, 'changed')
    assert.isNull(await emitWithAck(socket, 'nodeUnsubscribe'))
    await emitWithAck(socket, 'nodeSubscribe')
    await emitWithAck(socket, 'nodeSubscribe')
    assert.isNull(await emitWithAck(socket, 'nodeUnsubscribe'))
    await emit('/resources', 'node', 'still')
    await emitWithAck(socket, 'nodeUnsubscribe')
    await emit('/resources', 'node', 'not any more')
    await settled(socket)
    assert.deepEqual(events, ['still'])
  })

  test('subscriptions are not overtaken by their unsubscription', async ({ assert, cleanup }) => {
    const { token } = someone()
    const slow = await site({
      authenticator: {
        verify: async (sent) => {
          await randomPause(20)
          return testAuthenticator.verify(sent)
        },
      },
    })
    cleanup(() => slow.close())
    const socket = await connected(slow.connect('/resources', token))
    const events = received(socket, 'changed')
    for (let n = 0; n < 10; n++) {
      socket.emit('nodeSubscribe', n)
      socket.emit('nodeUnsubscribe', n)
    }
    await emitWithAck(socket, 'nodeUnsubscribe')
    const emissions = Array.from({ length: 10 }, (_, n) => ({
      ...{ namespace: '/resources', room: `node/${n}`, event: 'changed', payload: n },
    }))
    await slow.realtime.emit(emissions)
    await settled(socket)
    assert.isEmpty(events)
  })

  test('name a record or none: {0} is rejected')
    .with(
      Object.entries({
        'an object': { id: '1' },
        'a list': ['1'],
        'true': true,
        'an empty text': '',
        'a long text': 'x'.repeat(129),
        'a text with blanks': 'a b',
      })
    )
    .run(async ({ assert }, [, target]) => {
      const socket = await open('/resources')
      for (const event of ['nodeSubscribe', 'nodeUnsubscribe']) {
        assert.containsSubset(await emitWithAck(socket, event, target), { code: 'bad_request' })
      }
    })

  test('subscriptions are limited to a thousand', async ({ assert }) => {
    const socket = await open('/resources')
    const answers = await Promise.all(
      Array.from({ length: 1_001 }, (_, n) => emitWithAck(socket, 'nodeSubscribe', n))
    )
    assert.deepEqual(answers.slice(0, 1_000), Array(1_000).fill(null))
    assert.containsSubset(answers[1_000], { code: 'bad_request' })
    assert.isNull(await emitWithAck(socket, 'nodeSubscribe', 5), 'one that is held already')
    await emitWithAck(socket, 'nodeUnsubscribe', 6)
    assert.isNull(await emitWithAck(socket, 'nodeSubscribe', 2_000))
  })

  test('subscriptions end with the permission that they need', async ({ assert, cleanup }) => {
    const { actor, token } = someone(['node_update', 'project_update'])
    const strict = await site({ reviewEveryMs: 20 })
    cleanup(() => strict.close())
    const socket = await connected(strict.connect('/resources', token))
    const events = received(socket, 'changed')
    await emitWithAck(socket, 'nodeSubscribe')
    await emitWithAck(socket, 'projectSubscribe')
    ;(actor.permissions as Set<string>).delete('node_update')
    assert.containsSubset(await emitWithAck(socket, 'nodeSubscribe', '1'), {
      code: 'identity_unauthorized',
    })
    const emissions = ['node', 'project'].map((room) => ({
      ...{ namespace: '/resources', room, event: 'changed', payload: room },
    }))
    await eventually(async () => {
      events.length = 0
      await strict.realtime.emit(emissions)
      await settled(socket)
      return !events.includes('node')
    })
    assert.deepEqual(events, ['project'])
  })
})

test.group('Sockets | disconnection', (group) => {
  let standIn: StandInProvider

  group.each.setup(async () => {
    standIn = await StandInProvider.start()
    return () => standIn.goAway()
  })

  const REVOKED_WITHIN_MS = 400
  const HOUR_MS = 3_600_000

  const openWith = async (
    claims: Record<string, unknown>,
    cleanup: (end: () => Promise<void>) => void,
    provider: IdentityProvider = externalProvider(standIn)
  ) => {
    const authenticator = new WatchedVerifier(provider, { trustMs: REVOKED_WITHIN_MS })
    const hub = await site({ authenticator })
    cleanup(() => hub.close())
    const token = standIn.mint(claims)
    const socket = await connected(hub.connect(`/resources/${standIn.realms.siteA.id}`, token))
    return { hub, token, socket, verifier: authenticator }
  }

  test('a socket ends when its token is revoked', async ({ assert, cleanup }) => {
    const { socket, token, hub, verifier } = await openWith({}, cleanup)
    await verifier.untilRenewed(2)
    assert.isTrue(socket.connected)
    const before = standIn.count('/token/introspect')
    standIn.revoke(token)
    assert.equal(await ending(socket), 'io server disconnect')
    assert.isAtMost(standIn.count('/token/introspect') - before, 2)
    const error = await refusal(hub.connect(`/resources/${standIn.realms.siteA.id}`, token))
    assert.equal(error.data?.code, 'identity_unauthorized')
  })

  test('a socket outlives its token while the provider accepts its account', async ({
    assert,
    cleanup,
  }) => {
    const user = standIn.records.add('users', { name: 'bob', realmId: standIn.realms.siteA.id })
    const { socket, verifier } = await openWith({ sub: user.id }, cleanup)
    await verifier.untilRenewed(1)
    cleanup(overrideClock({ now: () => Date.now() + HOUR_MS }))
    await verifier.untilRenewed(3)
    assert.isTrue(socket.connected)
    const before = verifier.renewals
    standIn.records.table('users').find(({ id }) => id === user.id)!.active = false
    assert.equal(await ending(socket), 'io server disconnect')
    assert.isAtMost(verifier.renewals - before, 2)
  })

  test('a socket ends with its token if the provider has no records', async ({
    assert,
    cleanup,
  }) => {
    const exp = Math.floor(Date.now() / 1000) + 2
    const { socket } = await openWith({ exp }, cleanup, new OidcProvider(settingsFor(standIn)))
    assert.equal(await ending(socket), 'io server disconnect')
    assert.isAtLeast(Date.now(), exp * 1000)
  })

  test('clients reconnect elsewhere when the process stops', async ({ assert }) => {
    const hub = await site()
    const { token } = someone()
    const sockets = await Promise.all(
      ['websocket', 'polling'].map((transport) =>
        connected(hub.connect('/resources', token, { transports: [transport] }))
      )
    )
    const ends = Promise.all(sockets.map(ending))
    hub.drain.start()
    const took = stopwatch()
    await hub.server.closeGracefully()
    assert.isBelow(took(), CUT_OFF_AFTER_MS)
    // The close reasons after which a client reconnects.
    for (const reason of await ends) {
      assert.oneOf(reason, ['transport close', 'transport error'])
    }
  })

  test('an unresponsive client does not delay the stop', async ({ assert }) => {
    const hub = await site()
    const path = isTogether() ? '/core/socket.io' : '/socket.io'
    const deaf = connectTcp(Number(new URL(hub.url).port), '127.0.0.1')
    deaf.write(
      `GET ${path}/?EIO=4&transport=websocket HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n\r\n`
    )
    const [head] = await once(deaf, 'data')
    assert.include(String(head), '101')
    deaf.pause()
    hub.drain.start()
    const took = stopwatch()
    await hub.server.closeGracefully()
    assert.isBelow(took(), CUT_OFF_AFTER_MS)
    deaf.destroy()
  })

  test('connections are rejected while the process stops', async ({ assert, cleanup }) => {
    const hub = await site()
    cleanup(() => hub.close())
    hub.drain.start()
    const error = await refusal(hub.connect('/resources', someone().token))
    assert.isUndefined(error.data)
  })
})

test.group('Sockets | hostile clients', (group) => {
  let hub: Awaited<ReturnType<typeof site>>
  let witness: Socket

  group.setup(async () => {
    hub = await site()
    return () => hub.close()
  })

  group.each.setup(async () => {
    witness = await connected(hub.connect('/resources', someone().token))
    await emitWithAck(witness, 'nodeSubscribe')
    return () => void witness.disconnect()
  })

  /** A raw connection for arbitrary data. */
  const raw = async () => {
    const path = isTogether() ? '/core/socket.io' : '/socket.io'
    const url = `${hub.url.replace('http', 'ws')}${path}/?EIO=4&transport=websocket`
    const socket = new WebSocket(url)
    const closed = new Promise<void>((resolve) => (socket.onclose = () => resolve()))
    const messages: string[] = []
    socket.onmessage = ({ data }) => messages.push(String(data))
    await new Promise((resolve) => (socket.onopen = resolve))
    return { socket, closed, said: messages }
  }

  const enter = ({ socket }: { socket: WebSocket }, namespace = '/resources') =>
    socket.send(`40${namespace},${JSON.stringify({ token: someone().token })}`)

  /** Resolves when all that was sent so far has been read: a namespace was answered after it, or the connection ended. */
  const processed = async (connection: Awaited<ReturnType<typeof raw>>, namespace?: string) => {
    const before = connection.said.length
    enter(connection, namespace)
    await eventually(
      () =>
        connection.socket.readyState === WebSocket.CLOSED ||
        connection.said.slice(before).some((line) => /^4[04]/.test(line))
    )
  }

  const isWellAfterwards = async () => {
    const events = received(witness, 'changed')
    await hub.realtime.emit([
      { namespace: '/resources', room: 'node', event: 'changed', payload: 'well' },
    ])
    await settled(witness)
    return events.includes('well') && hub.logged.length === 0
  }

  test('malformed data of an unauthenticated client is harmless: {0}')
    .with(
      Object.entries({
        'no packet': 'x',
        'an empty message': '4',
        'an unknown type': '49{}',
        'no namespace': '40',
        'a token that is a text': '40/resources,"text"',
        'a token that is nothing': '40/resources,null',
        'a token that is a list': '40/resources,[]',
        'an event before its time': '42/resources,["nodeSubscribe"]',
        'broken JSON': '42/resources,not json',
        'an event that is an object': '42/resources,{"a":1}',
        'an event that is reserved': '42/resources,["connect"]',
        'an attachment that never comes': '451-/resources,["x",{"_placeholder":true,"num":0}]',
        'too many attachments': '459999999999-/resources,["x"]',
        'a farewell': '41/resources,',
        'an answer to nothing': '43/resources,1[]',
        'too long an event': `42/resources,["${'x'.repeat(40_000)}"]`,
        'a deep event': `42/resources,${'['.repeat(15_000)}`,
      })
    )
    .run(async ({ assert }, [, text]) => {
      const connection = await raw()
      connection.socket.send(text)
      await processed(connection)
      connection.socket.close()
      assert.isTrue(await isWellAfterwards())
    })

  test('malformed data of an authenticated client is harmless: {0}')
    .with(
      Object.entries({
        'an event that is a number': '42/resources,[0]',
        'an event that means something to Node': '42/resources,["error"]',
        'an event that is nothing': '42/resources,[null]',
        'no event': '42/resources,[]',
        'a type that every object has': '42/resources,["__proto__Subscribe"]',
        'another type that every object has': '42/resources,["constructorSubscribe",{}]',
        'a target that cannot become a text': '42/resources,["nodeSubscribe",{"toString":1}]',
        'a target with a prototype':
          '421/resources,["nodeSubscribe",{"__proto__":{"x":1}},{"length":-1}]',
        'a target without an end': '42/resources,["nodeSubscribe",1e999]',
        'an answer to nothing': '43/resources,0["x"]',
        'attachments that never come': '452-/resources,["x"]',
        'an empty message': '4',
        'too long an event': `42/resources,["${'x'.repeat(40_000)}"]`,
      })
    )
    .run(async ({ assert }, [, text]) => {
      const connection = await raw()
      enter(connection)
      await eventually(() => connection.said.some((line) => line.startsWith('40/resources')))
      connection.socket.send(text)
      connection.socket.send(randomBytes(1_000))
      await processed(connection, `/resources/${REALMS.other}`)
      connection.socket.close()
      assert.isTrue(await isWellAfterwards())
    })

  test('a client that requests too many namespaces is disconnected', async ({ assert }) => {
    const connection = await raw()
    for (let n = 0; n < 5_000; n++) {
      connection.socket.send(`40/resources/realm-${n},{"token":"nonsense"}`)
    }
    await connection.closed
    assert.isTrue(await isWellAfterwards())
  })

  test('a connection without a namespace is closed', async ({ assert }) => {
    const connection = await raw()
    const defaultOfTheLibrary = AbortSignal.timeout(45_000)
    await connection.closed
    assert.isFalse(defaultOfTheLibrary.aborted)
  }).timeout(60_000)

  test('a rejected client does not close the namespace of one that is connecting', async ({
    assert,
    cleanup,
  }) => {
    const { token } = somebody()
    const started = Promise.withResolvers<void>()
    const rejected = Promise.withResolvers<void>()
    const slowly: Authenticator = {
      async verify(sent) {
        if (sent === token) {
          started.resolve()
          await rejected.promise
        }
        return testAuthenticator.verify(sent)
      },
    }
    const slow = await site({ authenticator: slowly })
    cleanup(() => slow.close())
    const namespace = `/resources/${REALMS.other}`
    const entering = connected(slow.connect(namespace, token))
    await started.promise
    await refusal(slow.connect(namespace, 'nonsense'))
    rejected.resolve()
    const socket = await entering
    const events = received(socket, 'changed')
    await emitWithAck(socket, 'nodeSubscribe')
    await slow.realtime.emit([{ namespace, room: 'node', event: 'changed', payload: 1 }])
    await settled(socket)
    assert.deepEqual(events, [1])
  })
})

function ending(socket: Socket): Promise<string> {
  return new Promise((resolve) => socket.once('disconnect', (reason) => resolve(reason)))
}

test.group('Connections of sockets behind a proxy', () => {
  test('sockets are limited by the address of the client that the proxy names', async ({
    assert,
    cleanup,
  }) => {
    const sockets = await socketSite({ authenticator: testAuthenticator })
    cleanup(() => sockets.close())
    const handshake = async (forwarded: string) => {
      const response = await fetch(`${sockets.url}/socket.io?EIO=4&transport=polling`, {
        headers: { 'x-forwarded-for': forwarded },
      })
      await response.text()
      return response.status
    }
    const { connectionLimits } = httpSettings()
    const perAddress = 3
    cleanup(useSettings(httpSettings, { connectionLimits: { ...connectionLimits, perAddress } }))
    for (let opened = 0; opened < perAddress; opened++) {
      assert.equal(await handshake('203.0.113.9, 127.0.0.1'), 200)
    }
    assert.equal(await handshake('203.0.113.9'), 403)
    assert.equal(await handshake('203.0.113.10'), 200)
    assert.equal(await handshake('203.0.113.9, 203.0.113.10'), 200)
  })
})
