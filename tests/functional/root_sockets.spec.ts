import { test } from '@japa/runner'
import { io, Manager, type Socket } from 'socket.io-client'

import { Signals } from '#signals/signals'
import { RateLimiter } from '#http/rate_limiter'
import { Wakeups } from '#messenger/delivery/wakeups'
import { Relay } from '#messenger/relay/relay'
import { serveAtRoot } from '#realtime/root_connections'
import { boot } from '#tests/helpers/application'
import { eventually } from '#tests/helpers/eventually'
import { identity, testAuthenticator } from '#tests/helpers/identities'
import { emitWithAck, connected, received, socketSite } from '#tests/helpers/realtime/sockets'

const ROOT = '/socket.io'
const CORE = '/core/socket.io'
const MESSENGER = '/messenger/socket.io'

/** Core and messenger on one port, with sockets at their own paths and at the root path. */
async function sharedPort(hasRelay = true) {
  const app = await boot()
  const core = await socketSite({ authenticator: testAuthenticator, path: CORE })
  const { drain, server, realtime } = core
  const sites = new Map<'core' | 'messenger', typeof realtime | Relay>([['core', realtime]])
  if (hasRelay) {
    const relay = await Relay.open({
      ...{ authenticator: testAuthenticator, drain, logger: { error() {} }, path: MESSENGER },
      signals: await app.container.make(Signals),
      wakeups: await app.container.make(Wakeups),
      limiter: await app.container.make(RateLimiter),
    })
    await relay.attach(server)
    sites.set('messenger', relay)
  }
  await serveAtRoot(server, sites, { drain })
  const sockets: Socket[] = []
  const open = (path: string, namespace: string, token: string) => {
    const options = { path, auth: { token }, forceNew: true, reconnection: false }
    const socket = io(core.url + namespace, options)
    sockets.push(socket)
    return connected(socket)
  }
  const close = async () => {
    sockets.forEach((socket) => socket.disconnect())
    await core.close()
  }
  return { url: core.url, realtime, open, close }
}

test.group('Sockets at the root of a shared port', () => {
  test('sockets reach the relay and rooms of core by their namespace, over one connection', async ({
    assert,
    cleanup,
  }) => {
    const { url, realtime, open, close } = await sharedPort()
    cleanup(close)
    const [here, there] = [identity(), identity()]
    const manager = new Manager(url, { path: ROOT, reconnection: false })
    cleanup(() => void manager.engine.close())
    const auth = { token: here.token }
    const relay = await connected(manager.socket('/', { auth }))
    const records = await connected(manager.socket('/resources', { auth }))
    const [atMessenger, atCore] = [
      await open(MESSENGER, '/', there.token),
      await open(CORE, '/resources', there.token),
    ]

    const messages = [received(relay, 'send'), received(atMessenger, 'send')]
    const to = (id: string) => [{ type: 'user', id }]
    assert.isNull(await emitWithAck(atMessenger, 'send', { to: to(here.actor.id), data: 1 }))
    assert.isNull(await emitWithAck(relay, 'send', { to: to(there.actor.id), data: 2 }))
    await eventually(() => messages.every(({ length }) => length === 1))
    assert.containsSubset(messages, [[{ data: 1 }], [{ data: 2 }]])

    const changes = [received(records, 'changed'), received(atCore, 'changed')]
    for (const socket of [records, atCore]) {
      assert.isNull(await emitWithAck(socket, 'nodeSubscribe'))
    }
    await realtime.emit([
      { namespace: '/resources', room: 'node', event: 'changed', payload: 'node' },
    ])
    await eventually(() => changes.every(({ length }) => length === 1))
  })

  test('sockets publish presence at either path', async ({ assert, cleanup }) => {
    const { open, close } = await sharedPort()
    cleanup(close)
    const [watcher, other] = [identity(), identity()]
    const watching = await open(ROOT, '/', watcher.token)
    const came = received(watching, 'userConnected')
    assert.isNull(await emitWithAck(watching, 'userConnectionSubscribe', other.actor.id))
    await open(MESSENGER, '/', other.token)
    await open(ROOT, '/', other.token)
    await eventually(() => came.length > 0)
    const count = await new Promise((resolve) => {
      watching.emit('userConnections', other.actor.id, (_: unknown, number: number) =>
        resolve(number)
      )
    })
    assert.equal(count, 2)
    assert.lengthOf(came, 1)
  })

  test('sockets have the silent root namespace of core where there is no relay', async ({
    assert,
    cleanup,
  }) => {
    const { open, close } = await sharedPort(false)
    cleanup(close)
    const socket = await open(ROOT, '/', identity().token)
    assert.containsSubset(await emitWithAck(socket, 'send', {}), { code: 'bad_request' })
    await open(ROOT, '/resources', identity().token)
  })
})
