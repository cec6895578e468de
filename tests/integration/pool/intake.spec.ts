import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

import { test } from '@japa/runner'

import { GracefulServer } from '#http/graceful_server'
import { Drain } from '#kernel/drain'
import { Intake } from '#runtime/pool/intake'
import type { ToPrimary } from '#runtime/pool/messages'

const ADDRESS = '127.0.0.1'

/** A connection as the primary of a pool passes it on: accepted, not read, and reset by its client since. */
async function resetConnection(): Promise<Socket> {
  const port = createServer({ pauseOnConnect: true }).listen(0, ADDRESS)
  await once(port, 'listening')
  const accepted = once(port, 'connection') as Promise<[Socket]>
  const client = connect((port.address() as AddressInfo).port, ADDRESS)
  const [[socket]] = await Promise.all([accepted, once(client, 'connect')])
  client.resetAndDestroy()
  await once(client, 'close')
  port.close()
  return socket.on('error', () => {})
}

test('a connection that was reset on its way into a pool is reported with the address it was counted under', async ({
  assert,
}) => {
  const socket = await resetConnection()
  const { promise: reported, resolve } = Promise.withResolvers<ToPrimary>()
  const server = new GracefulServer((_request, response) => response.end(), new Drain())
  const intake = new Intake(server, (message) => message.type === 'has' && resolve(message))
  intake.take(socket, ADDRESS)

  assert.isUndefined(socket.remoteAddress, 'what the socket itself knows')
  assert.deepEqual(await reported, { type: 'has', connections: 0, closed: [ADDRESS] })
})
