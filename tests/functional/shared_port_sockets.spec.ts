import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { test } from '@japa/runner'
import { ClientManager } from '@authup/core-realtime-kit'
import { io, type Socket } from 'socket.io-client'

import { Peers } from '#realtime/peers'
import { Balancer } from '#tests/helpers/http/balancer'
import { identity, testAuthenticator } from '#tests/helpers/identities'
import {
  emitWithAck,
  connected,
  received,
  settled,
  socketSite,
  type SocketSite,
} from '#tests/helpers/realtime/sockets'

const PATH = '/socket.io/'
const PACKET = { namespace: '/resources', room: 'node', event: 'changed', payload: 'node' }

test.group('Sockets of processes that share a port', (group) => {
  let folder: string
  let sites: SocketSite[]
  let balancer: Balancer
  let clients: Socket[]

  group.each.setup(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hub-pool-'))
    clients = []
    const site = () =>
      socketSite({ authenticator: testAuthenticator, peers: new Peers(folder, 'core') })
    sites = await Promise.all([site(), site(), site()])
    balancer = await Balancer.open()
    sites.forEach((one) => balancer.add(one.url))
    return async () => {
      clients.forEach((client) => client.disconnect())
      balancer.close()
      await Promise.all(sites.map((one) => one.close()))
      await rm(folder, { recursive: true })
    }
  })

  const open = (options: Parameters<typeof io>[1] = {}) => {
    const { token } = identity({ permissions: ['node_update'] })
    const given = { auth: { token }, forceNew: true, reconnection: false }
    const socket = io(`${balancer.url}/resources`, {
      ...given,
      ...options,
    } as never) as unknown as Socket
    clients.push(socket)
    return connected(socket)
  }

  const emit = () => Promise.all(sites.map(({ realtime }) => realtime.emit([PACKET])))

  test('sockets work for clients that start with polling and upgrade', async ({ assert }) => {
    const sockets = await Promise.all([open(), open(), open(), open()])
    for (const socket of sockets) {
      const events = received(socket, 'changed')
      assert.isNull(await emitWithAck(socket, 'nodeSubscribe'))
      if (socket.io.engine.transport.name !== 'websocket') {
        await new Promise((resolve) => socket.io.engine.once('upgrade', resolve))
      }
      await emit()
      await settled(socket)
      assert.deepEqual(events, ['node'])
    }
  })

  test('sockets work for clients that never upgrade', async ({ assert }) => {
    const socket = await open({ transports: ['polling'] })
    const events = received(socket, 'changed')
    assert.isNull(await emitWithAck(socket, 'nodeSubscribe'))
    for (let n = 0; n < 5; n++) {
      await emit().then(() => settled(socket))
    }
    assert.deepEqual(events, Array(5).fill('node'))
  })

  test('sockets work for the socket manager of the web UI', async ({ assert, cleanup }) => {
    const { token } = identity({ permissions: ['node_update'] })
    const manager = new ClientManager({ url: balancer.url, token: () => Promise.resolve(token) })
    cleanup(() => void manager.disconnect('/resources'))
    const socket = await manager.connect('/resources')
    assert.isNull(await emitWithAck(socket as unknown as Socket, 'nodeSubscribe'))
  })

  test('sockets are reached over a kept-alive connection of other requests', async ({ assert }) => {
    const at = (site: number, query: string) => `${sites[site]!.url}${PATH}?EIO=4&${query}`
    const handshake = await (await fetch(at(0, 'transport=polling'))).text()
    const { sid } = JSON.parse(handshake.slice(1))
    const { token } = identity()
    for (const [site, packet] of [
      [1, `40/resources,${JSON.stringify({ token })}`],
      [2, '42/resources,["ping"]'],
      [0, '42/resources,["ping"]'],
    ] as const) {
      assert.equal((await fetch(sites[site]!.url)).status, 404)
      const session = `transport=polling&sid=${sid}`
      const sent = await fetch(at(site, session), { method: 'POST', body: packet })
      assert.equal(await sent.text(), 'ok')
      const polled = await fetch(at(site, session))
      assert.equal(polled.status, 200)
      assert.match(await polled.text(), packet.includes('ping') ? /pong/ : /^40\/resources,/)
    }
  })

  test('sockets keep the forwarded connection open when its client closes', async ({
    assert,
    cleanup,
  }) => {
    const [here, there] = [new Peers(folder, 'test'), new Peers(folder, 'test')]
    const kept: boolean[] = []
    const upgrade = () => {}
    await there.listen({
      request: (_request, response) => {
        kept.push(response.shouldKeepAlive)
        response.end('ok')
      },
      upgrade,
    })
    const unknown = () => assert.fail('the other process is there')
    const server = createServer((request, response) =>
      here.forwardRequest(here.addressFor(request)!, request, response, unknown)
    ).listen(0, '127.0.0.1')
    cleanup(() => {
      server.close()
      there.close()
    })
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const address = `http://127.0.0.1:${port}/?sid=${there.newSession()}`
    const headers = { connection: 'close' }
    const answer = await fetch(address, { method: 'POST', body: '3', headers })
    assert.equal(await answer.text(), 'ok')
    assert.equal(answer.headers.get('connection'), 'close')
    assert.deepEqual(kept, [true])
  })

  test('with unknown sessions are rejected, whatever their id', async ({ assert }) => {
    for (const sid of [
      '0123456789abcdef.unknown',
      '../../etc/passwd.x',
      `${'0'.repeat(16)}.`,
      '0123456789ABCDEF.x',
      'x',
    ]) {
      const query = `EIO=4&transport=polling&sid=${encodeURIComponent(sid)}`
      const answer = await fetch(`${sites[0]!.url}${PATH}?${query}`)
      assert.equal(answer.status, 400, sid)
      assert.containsSubset(await answer.json(), { code: 1 })
    }
  })

  test('sockets end with their process, and their clients reconnect to another one', async ({
    assert,
  }) => {
    const socket = await open({
      transports: ['polling'],
      reconnection: true,
      reconnectionDelay: 50,
      reconnectionDelayMax: 100,
    })
    const back = new Promise((resolve) => socket.once('disconnect', resolve)).then(() =>
      connected(socket)
    )
    const [first, second] = sites
    await Promise.all([first!.close(), second!.close()])
    sites.splice(0, 2).forEach((one) => balancer.remove(one.url))
    // The session may be in the remaining process, reached through those that ended.
    await Promise.race([back, settled(socket)])
    assert.isNull(await emitWithAck(socket, 'nodeSubscribe'))
  })
})
