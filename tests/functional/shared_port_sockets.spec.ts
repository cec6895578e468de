import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { test } from '@japa/runner'
import { ClientManager } from '@authup/core-realtime-kit'
import { io, type Socket } from 'socket.io-client'

import { Peers } from '#realtime/peers'
import { identity, testAuthenticator } from '#tests/helpers/identities'
import { ask, connected, heard, settled, socketSite, type SocketSite } from '#tests/helpers/sockets'

const PATH = '/socket.io/'
const PACKET = { namespace: '/resources', room: 'node', event: 'changed', payload: 'node' }

/** A port behind which each connection reaches another process than the one before. */
async function sharedPort(sites: readonly SocketSite[]) {
  let turn = 0
  const server = createServer((client) => {
    const port = Number(new URL(sites[turn++ % sites.length]!.url).port)
    const behind = connect(port, '127.0.0.1')
    client.pipe(behind).pipe(client)
    for (const socket of [client, behind]) {
      socket.on('error', () => {})
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

test.group('Sockets of processes that share a port', (group) => {
  let folder: string
  let sites: SocketSite[]
  let url: string
  let clients: Socket[]

  group.each.setup(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hub-pool-'))
    clients = []
    const site = () => socketSite({ authenticator: testAuthenticator, peers: new Peers(folder) })
    sites = await Promise.all([site(), site(), site()])
    const port = await sharedPort(sites)
    url = port.url
    return async () => {
      clients.forEach((client) => client.disconnect())
      port.server.close()
      await Promise.all(sites.map((one) => one.close()))
      await rm(folder, { recursive: true })
    }
  })

  const open = (options: Parameters<typeof io>[1] = {}) => {
    const { token } = identity({ permissions: ['node_update'] })
    const given = { auth: { token }, forceNew: true, reconnection: false }
    const socket = io(`${url}/resources`, { ...given, ...options } as never) as unknown as Socket
    clients.push(socket)
    return connected(socket)
  }

  const tell = () => Promise.all(sites.map(({ realtime }) => realtime.emit([PACKET])))

  test('work for clients that begin with polling, and upgrade', async ({ assert }) => {
    const sockets = await Promise.all([open(), open(), open(), open()])
    for (const socket of sockets) {
      const events = heard(socket, 'changed')
      assert.isNull(await ask(socket, 'nodeSubscribe'))
      if (socket.io.engine.transport.name !== 'websocket') {
        await new Promise((resolve) => socket.io.engine.once('upgrade', resolve))
      }
      await tell()
      await settled(socket)
      assert.deepEqual(events, ['node'])
    }
  })

  test('work for clients that never upgrade', async ({ assert }) => {
    const socket = await open({ transports: ['polling'] })
    const events = heard(socket, 'changed')
    assert.isNull(await ask(socket, 'nodeSubscribe'))
    for (let n = 0; n < 5; n++) {
      await tell().then(() => settled(socket))
    }
    assert.deepEqual(events, Array(5).fill('node'))
  })

  test('work for the socket manager of the web UI', async ({ assert, cleanup }) => {
    const { token } = identity({ permissions: ['node_update'] })
    const manager = new ClientManager({ url, token: () => Promise.resolve(token) })
    cleanup(() => void manager.disconnect('/resources'))
    const socket = await manager.connect('/resources')
    assert.isNull(await ask(socket as unknown as Socket, 'nodeSubscribe'))
  })

  test('are reached over a connection that is kept for other requests', async ({ assert }) => {
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

  test('that are unknown are refused, whatever they are called', async ({ assert }) => {
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

  test('end with their process, and their clients come back to another one', async ({ assert }) => {
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
    sites.splice(0, 2)
    // It may have been in the process that stays, and is asked over those that went.
    await Promise.race([back, settled(socket)])
    assert.isNull(await ask(socket, 'nodeSubscribe'))
  })
})
