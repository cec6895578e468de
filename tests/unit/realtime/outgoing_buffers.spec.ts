import { EventEmitter } from 'node:events'

import { test } from '@japa/runner'

import type { EngineConnection } from '#realtime/engine_connection'
import { OutgoingBuffers } from '#realtime/outgoing_buffers'

const LIMITS = { connection: 100, owner: 250, all: 500 }

/** A fake connection whose client reads on demand. */
class Client extends EventEmitter {
  readonly closings: unknown[] = []
  readonly transport = Object.assign(new EventEmitter(), {
    name: 'websocket',
    socket: {
      pause() {},
      resume() {},
      close: (...reason: unknown[]) => void this.closings.push(reason),
      terminate() {},
    },
  })
  isBusy = false

  send(bytes: number): void {
    this.emit('packetCreate', { type: 'message', data: 'x'.repeat(bytes) })
    if (!this.isBusy) {
      this.isBusy = true
      this.emit('flush')
    }
  }

  read(): void {
    this.isBusy = false
    this.transport.emit('drain')
  }

  close(): void {
    this.emit('close')
  }
}

const connection = (client: Client) => client as unknown as EngineConnection

function clients(buffers: OutgoingBuffers, owners: readonly string[]): Client[] {
  return owners.map((owner) => {
    const client = new Client()
    buffers.track(connection(client))
    buffers.assignOwner(connection(client), owner)
    return client
  })
}

const closed = (some: readonly Client[]) => some.map(({ closings }) => closings.length)

test.group('Outgoing data of sockets', () => {
  test('the buffer closes the connection of one that does not read, with a reason', ({
    assert,
  }) => {
    const [one, other] = clients(new OutgoingBuffers(LIMITS), ['one', 'other']) as [Client, Client]
    one.send(90)
    one.send(90)
    other.send(90)
    assert.deepEqual(closed([one, other]), [0, 0])
    one.send(1)
    assert.deepEqual(closed([one, other]), [1, 0])
    assert.equal((one.closings[0] as unknown[])[0], 1013)
  })

  test('the buffer does not close a client that reads, and resumes its senders', async ({
    assert,
  }) => {
    const buffers = new OutgoingBuffers(LIMITS)
    const [one] = clients(buffers, ['one']) as [Client]
    for (let round = 0; round < 20; round++) {
      one.send(90)
      assert.isTrue(buffers.isBusy(connection(one)))
      const room = buffers.waitForCapacity(connection(one))
      one.read()
      await room
      assert.isFalse(buffers.isBusy(connection(one)))
    }
    assert.deepEqual(closed([one]), [0])
  })

  test('the buffer is limited for all connections of one identity, and not for those of another', ({
    assert,
  }) => {
    const buffers = new OutgoingBuffers(LIMITS)
    const some = clients(buffers, ['a', 'a', 'a', 'b'])
    some.forEach((client) => client.send(90))
    assert.deepEqual(closed(some), [0, 0, 0, 0])
    some[3]!.send(5)
    some[1]!.send(5)
    assert.deepEqual(closed(some), [0, 1, 0, 0])
  })

  test('the buffer is limited in total, and the largest buffer is closed first', ({ assert }) => {
    const buffers = new OutgoingBuffers(LIMITS)
    const some = clients(
      buffers,
      Array.from({ length: 9 }, (_, n) => `${n}`)
    )
    some.forEach((client, n) => client.send(n === 4 ? 95 : 60))
    some[0]!.send(1)
    assert.deepEqual(closed(some), [0, 0, 0, 0, 1, 0, 0, 0, 0])
  })

  test('the buffer is released with the connection', ({ assert }) => {
    const buffers = new OutgoingBuffers(LIMITS)
    for (let round = 0; round < 20; round++) {
      const [one] = clients(buffers, ['a']) as [Client]
      one.send(90)
      one.close()
      assert.deepEqual(closed([one]), [0])
    }
  })
})
