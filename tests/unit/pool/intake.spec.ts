import type { Socket } from 'node:net'

import { test } from '@japa/runner'

import { Drain } from '#kernel/drain'
import { GracefulServer } from '#http/graceful_server'
import { Intake } from '#runtime/pool/intake'
import type { ToPrimary } from '#runtime/pool/messages'
import { withManualTimers } from '#tests/helpers/manual_timers'
import { FakeSocket } from '#tests/helpers/pool/fake_socket'

const [NEAR, FAR] = ['192.0.2.1', '192.0.2.2']

/** What a process of a pool reports about the connections that it is offered. */
function intakeOf() {
  const drain = new Drain()
  const server = new GracefulServer(() => {}, drain)
  const reports: ToPrimary[] = []
  const intake = new Intake(server, (message) => void reports.push(message))
  const take = (address: string) => {
    const socket = new FakeSocket(address)
    intake.take(socket as unknown as Socket, address)
    return socket
  }
  return { drain, server, intake, reports, take }
}

test.group('What a process of a pool takes', () => {
  test('a connection is acknowledged at once, one by one', async ({ assert }) => {
    await withManualTimers(async (pass) => {
      const { reports, take } = intakeOf()
      const sockets = [take(NEAR), take(FAR)]
      assert.deepEqual(reports, [
        { type: 'took', connections: 1, isOpen: true },
        { type: 'took', connections: 2, isOpen: true },
      ])
      sockets.forEach((socket) => socket.destroy())
      await pass(0)
    })
  })

  test('a connection is acknowledged as closed where it closed on its way', ({ assert }) => {
    const { intake, reports } = intakeOf()
    intake.take(undefined, NEAR)
    assert.deepEqual(reports, [{ type: 'took', connections: 0, isOpen: false }])
  })

  test('a connection is reported when it closes, all within a tenth of a second together', async ({
    assert,
  }) => {
    await withManualTimers(async (pass) => {
      const { reports, take } = intakeOf()
      const [first, second, third] = [take(NEAR), take(FAR), take(NEAR)]
      reports.length = 0
      first.destroy()
      await pass(60)
      second.destroy()
      await pass(39)
      assert.isEmpty(reports)
      await pass(1)
      assert.deepEqual(reports, [{ type: 'has', connections: 1, closed: [NEAR, FAR] }])
      third.destroy()
      await pass(0)
      await pass(100)
      assert.deepEqual(reports[1], { type: 'has', connections: 0, closed: [NEAR] })
      await pass(100)
      assert.lengthOf(reports, 2, 'one report for all of them')
    })
  })

  test('a connection is never acknowledged by one that has closed, so that another process gets it', async ({
    assert,
  }) => {
    const { drain, server, reports, take } = intakeOf()
    drain.start()
    await server.closeGracefully()
    assert.isTrue(take(NEAR).destroyed)
    assert.isEmpty(reports)
  })
})
