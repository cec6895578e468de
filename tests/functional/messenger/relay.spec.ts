import { test } from '@japa/runner'
import type { Socket } from 'socket.io-client'

import { embeddedProvider } from '#tests/helpers/identity/embedded_provider'
import { seedIdentity } from '#identity/embedded/seeds'
import { TokenVerifier } from '#auth/verification/token_verifier'
import { clock } from '#kernel/clock'
import type { PartyKind } from '#messenger/mailboxes/party'
import {
  byPassword,
  bySecret,
  makeClient,
  makeUser,
  PASSWORD,
  post,
  remove,
} from '#tests/functional/identity/provider'
import { at } from '#tests/helpers/application'
import { eventually } from '#tests/helpers/eventually'
import { identity } from '#tests/helpers/identities'
import { emitWithAck, connected, refusal } from '#tests/helpers/realtime/sockets'
import { pull, send, somebody, waiting } from './messenger_scene.js'
import { answered, connect, relayClient, relaySite, recordEvents } from './relay_scene.js'

const KINDS: PartyKind[] = ['user', 'robot', 'client']
const SECRET = 'a secret of a client'

/** Resolves when a socket has received everything sent to it before. */
const settled = (socket: Socket) => emitWithAck(socket, 'userConnections', clock.uuid())

test.group('Socket relay | who is let in', () => {
  test('the path is that of messenger, and clients may begin with polling', async ({ cleanup }) => {
    for (const transports of [['websocket'], ['polling', 'websocket'], ['polling']]) {
      await connect(somebody(), cleanup, { transports })
    }
  })

  test('a connection is rejected with {0}')
    .with(
      Object.entries({
        'no token': undefined,
        'an unknown token': 'nonsense',
        'something that is no text': { token: 'x' },
        'a list': ['x'],
      })
    )
    .run(async ({ assert }, [, token]) => {
      const client = relayClient(somebody(), { auth: { token } })
      const error = await refusal(client)
      assert.containsSubset(error.data, { statusCode: 401, code: 'identity_unauthorized' })
    })

  test('a caller whom no message can name is not let in', async ({ assert }) => {
    const error = await refusal(relayClient(identity({ id: 'somebody' })))
    assert.equal(error.data?.code, 'permission_denied')
  })

  test('there is one namespace', async ({ assert }) => {
    for (const name of ['/resources', '/messages', '/__proto__']) {
      const error = await refusal(relayClient(somebody(), {}, name))
      assert.equal(error.message, 'Invalid namespace')
    }
  })
})

test.group('Socket relay | direct messages', () => {
  test('direct messages reach every socket of their recipients, and are not stored', async ({
    assert,
    cleanup,
  }) => {
    const [sender, one, two] = [somebody('user'), somebody('robot'), somebody('client')]
    const from = await connect(sender, cleanup)
    const there = [
      await connect(one, cleanup),
      await connect(one, cleanup, { transports: ['polling'] }),
      await connect(two, cleanup),
    ]
    const [other, ownOther] = [await connect(somebody(), cleanup), await connect(sender, cleanup)]
    const events = there.map(recordEvents)
    const [none, own, itself] = [recordEvents(other), recordEvents(ownOther), recordEvents(from)]
    const to = [one.party, two.party, one.party, sender.party]
    const content = { data: 'q83vEjRW', metadata: { messageId: 'x', analysisId: null } }
    assert.deepEqual(await answered(from, 'send', { to, ...content }), [null])
    await eventually(() => events.every(({ length }) => length > 0))
    await Promise.all([...there, other, ownOther].map(settled))
    const { realmId, realmName } = sender.actor
    const message = { from: { ...sender.party, realmId, realmName }, ...content }
    for (const received of [...events, own]) {
      assert.deepEqual(received, [['send', message]])
    }
    assert.isEmpty([...none, ...itself])
    assert.deepEqual(await pull(one), [])
  })

  test('direct messages are accepted for recipients who are not connected, and without content', async ({
    assert,
    cleanup,
  }) => {
    const recipient = somebody()
    const [from, there] = [await connect(somebody(), cleanup), await connect(recipient, cleanup)]
    const events = recordEvents(there)
    assert.deepEqual(await answered(from, 'send', { to: [somebody().party] }), [null])
    assert.deepEqual(
      await answered(from, 'send', {
        to: [{ ...recipient.party, id: recipient.party.id.toUpperCase() }],
      }),
      [null]
    )
    from.emit('send', { to: [recipient.party], data: { nested: ['1', 1, null] } })
    await eventually(() => events.length === 2)
    assert.containsSubset(events[1], ['send', { data: { nested: ['1', 1, null] } }])
  })

  test('direct messages come in the order in which they were sent', async ({ assert, cleanup }) => {
    const recipient = somebody()
    const [from, there] = [await connect(somebody(), cleanup), await connect(recipient, cleanup)]
    const events = recordEvents(there)
    const numbers = Array.from({ length: 50 }, (_, n) => n)
    numbers.forEach((data) => from.emit('send', { to: [recipient.party], data }))
    await eventually(() => events.length === 50)
    assert.deepEqual(
      events.map(([, message]) => (message as { data: number }).data),
      numbers
    )
  })
})

test.group('Socket relay | presence', () => {
  test('presence of a {$self} is counted, and sent to subscribers')
    .with(KINDS)
    .run(async ({ assert, cleanup }, kind) => {
      const [whose, twin] = [somebody(kind), somebody(kind === 'user' ? 'robot' : 'user')]
      const { id } = whose.party
      const [watcher, other] = [
        await connect(somebody(), cleanup),
        await connect(somebody(), cleanup),
      ]
      const [events, none] = [recordEvents(watcher), recordEvents(other)]
      const count = () => answered(other, `${kind}Connections`, id)
      assert.deepEqual(await answered(watcher, `${kind}ConnectionSubscribe`, id), [null])
      watcher.emit(`${kind}ConnectionSubscribe`, twin.party.id)
      assert.deepEqual(await count(), [null, 0])

      const first = await connect(whose, cleanup)
      const second = await connect(whose, cleanup, { transports: ['polling'] })
      assert.deepEqual(await count(), [null, 2])
      await settled(watcher)
      const came = [
        `${kind}Connected`,
        { id, meta: { roomName: `${kind}-connection-subscription:${id}` } },
      ]
      assert.deepEqual(events, [came])

      second.disconnect()
      await eventually(async () => (await count())[1] === 1)
      await settled(watcher)
      assert.deepEqual(events, [came])
      first.disconnect()
      await eventually(async () => (await count())[1] === 0)
      await settled(watcher)
      const went = [`${kind}Disconnected`, { id, meta: { roomName: `${kind}-connection:${id}` } }]
      assert.deepEqual(events, [came, went])

      assert.deepEqual(await answered(watcher, `${kind}ConnectionUnsubscribe`, id), [null])
      await connect(whose, cleanup)
      await settled(watcher)
      assert.deepEqual(events, [came, went])
      assert.isEmpty(none)
    })
})

test.group('Socket relay | wakeups', () => {
  test('notify every socket of a recipient of a message, without its content', async ({
    assert,
    cleanup,
  }) => {
    const recipient = somebody()
    const sockets = [
      await connect(recipient, cleanup),
      await connect(recipient, cleanup, { transports: ['polling'] }),
    ]
    const other = await connect(somebody(), cleanup)
    const events = sockets.map(recordEvents)
    const none = recordEvents(other)
    const [id] = await send(somebody(), [recipient], { data: 'secret' })
    await eventually(() => events.every(({ length }) => length > 0))
    for (const received of events) {
      assert.deepEqual(received, [['messagePending', { recipient: recipient.party }]])
    }
    await settled(other)
    assert.isEmpty(none)
    assert.containsSubset(await pull(recipient), [{ id, data: 'secret' }])
  })

  test('wakeups are not waited for by disconnected sockets', async ({ assert, cleanup }) => {
    await eventually(async () => (await waiting()) === 0)
    const people = Array.from({ length: 10 }, () => somebody())
    const sockets = await Promise.all(people.map((one) => connect(one, cleanup)))
    assert.equal(await waiting(), 10)
    sockets.forEach((socket) => socket.disconnect())
    await eventually(async () => (await waiting()) === 0)
  })
})

test.group('Socket relay | the end', (group) => {
  let site: Awaited<ReturnType<typeof relaySite>>

  group.setup(async () => {
    await seedIdentity()
    const provider = await embeddedProvider()
    const verifier = new TokenVerifier(provider, { trustMs: 60_000 })
    await provider.onAccessChange((whose) => verifier.invalidate(whose))
    site = await relaySite({ authenticator: verifier })
    return async () => {
      await site.close()
      await provider.close()
    }
  })

  const isEnded = (socket: Socket) => eventually(() => !socket.connected, 10_000)

  test('the end of a token ends its socket within a second, and its presence with it', async ({
    assert,
  }) => {
    const user = await makeUser()
    const { body } = await byPassword({ username: user.name, password: PASSWORD })
    const socket = await connected(site.connect('/', body.access_token))
    const client = await makeClient({ secret: SECRET })
    const clientLogin = await bySecret({ client_id: client.id, client_secret: SECRET })
    const other = await connected(site.connect('/', clientLogin.body.access_token))
    assert.deepEqual(await answered(other, 'userConnections', user.id), [null, 1])
    await post('/token/revoke', { token: body.access_token })
    await isEnded(socket)
    assert.deepEqual(await answered(other, 'userConnections', user.id), [null, 0])
    await remove('client', client.id)
    await isEnded(other)
  })
})

test.group('Socket relay | hostile callers', () => {
  const { party } = somebody()
  const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)])
  const bad: Record<string, [string, ...unknown[]]> = {
    'a message that is missing': ['send'],
    'a message that is null': ['send', null],
    'a message that is a text': ['send', 'x'],
    'a message that is a list': ['send', [{ to: [party] }]],
    'a message that is binary': ['send', Buffer.from('x')],
    'no recipients': ['send', { data: 'x' }],
    'an empty list of recipients': ['send', { to: [] }],
    'recipients that are a text': ['send', { to: 'x' }],
    'recipients that are one party': ['send', { to: party }],
    'recipients that look like a list': ['send', { to: { length: 1, 0: party } }],
    'a recipient that is null': ['send', { to: [party, null] }],
    'a recipient of another kind': ['send', { to: [{ ...party, type: '__proto__' }] }],
    'a recipient without a kind': ['send', { to: [{ id: party.id }] }],
    'a recipient whose id is no uuid': ['send', { to: [{ ...party, id: 'me' }] }],
    'a recipient whose id is an object': ['send', { to: [{ ...party, id: {} }] }],
    'too many recipients': ['send', { to: Array.from({ length: 1_001 }, () => party) }],
    'a huge list of recipients': ['send', { to: Array.from({ length: 300_000 }, () => 0) }],
    'content that is nested too deep': ['send', { to: [party], data: nested(2_000) }],
    'an unknown event': ['send2', { to: [party] }],
    'an event of what every object has': ['constructor', {}],
    'an event that is a number': [7 as unknown as string, {}],
    'an event of a very long name': ['x'.repeat(100_000)],
    'a subscription to another kind': ['nodeConnectionSubscribe', party.id],
    'a subscription to a record': ['nodeSubscribe', party.id],
    'a subscription without an id': ['userConnectionSubscribe'],
    'an unsubscription from a list': ['userConnectionUnsubscribe', [party.id]],
    'a count without an id': ['robotConnections'],
    'a count for a number': ['clientConnections', 7],
    'a count for a text that is no uuid': ['userConnections', `${party.id}*`],
    'a count for an object': ['userConnections', { toString: 'x' }],
  }
  let socket: Socket

  test('hostile callers are answered with the failure: {0}')
    .setup(async () => {
      socket = await connected(relayClient(somebody()))
      return () => void socket.disconnect()
    })
    .with(Object.entries(bad))
    .run(async ({ assert }, [, [event, ...args]]) => {
      const [failure, ...more] = await answered(socket, event, ...args)
      assert.containsSubset(failure, { statusCode: 400, code: 'bad_request' })
      assert.isString((failure as Error).message)
      assert.isEmpty(more)
      socket.emit(event, ...args)
      assert.deepEqual(await answered(socket, 'userConnections', party.id), [null, 0])
    })

  test('hostile callers have a maximum number of subscriptions', async ({ assert, cleanup }) => {
    const holder = await connect(somebody(), cleanup)
    for (let part = 0; part < 20; part++) {
      const ids = Array.from({ length: 50 }, () => clock.uuid())
      await Promise.all(ids.map((id) => answered(holder, 'clientConnectionSubscribe', id)))
    }
    const [failure] = await answered(holder, 'clientConnectionSubscribe', clock.uuid())
    assert.containsSubset(failure, { code: 'bad_request' })
  })

  test('that send too much are disconnected, and no others', async ({ assert, cleanup }) => {
    const [hostile, other] = [
      await connect(somebody(), cleanup),
      await connect(somebody(), cleanup),
    ]
    hostile.emit('send', { to: [party], data: 'x'.repeat(2 * 2 ** 20) })
    await eventually(() => !hostile.connected)
    await settled(other)
    assert.isTrue(other.connected)
  })

  test('that speak another protocol are refused, and the rest of the surface answers', async ({
    assert,
  }) => {
    const path = at('messenger', '/socket.io/?EIO=4&transport=polling')
    const handshake = await (await fetch(path)).text()
    const { sid } = JSON.parse(handshake.slice(1)) as { sid: string }
    for (const packet of ['40', '42["send"]', '451-["send",{"_placeholder":true,"num":-1}]', 'x']) {
      const sent = await fetch(`${path}&sid=${sid}`, { method: 'POST', body: packet })
      await sent.arrayBuffer()
    }
    assert.equal((await fetch(at('messenger', '/'))).status, 200)
    assert.equal((await fetch(at('messenger', '/socket.iox/'))).status, 404)
  })
})
