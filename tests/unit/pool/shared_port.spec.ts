import { Server } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'

import { test } from '@japa/runner'

import type { ConnectionLimits } from '#http/connection_limit'
import { Member } from '#runtime/pool/member'
import { SharedPort } from '#runtime/pool/shared_port'
import { withManualTimers } from '#tests/helpers/manual_timers'
import { FakeSocket } from '#tests/helpers/pool/fake_socket'
import { useFakeWorkers, type FakeWorker } from '#tests/helpers/pool/fake_workers'

const PROGRAM = { name: 'web-1', file: '', environment: {}, startLimitMs: 60_000 }
const NO_LIMITS: ConnectionLimits = { all: 0, perAddress: 0, isShared: () => false }

/** A port with members, which a test connects to and whose processes it plays. */
function portOf(
  { members: count }: { members: number },
  cleanup: (callback: () => Promise<void> | void) => void,
  limits = NO_LIMITS
) {
  const workers = useFakeWorkers(cleanup)
  const server = new Server()
  const port = new SharedPort(server, limits)
  const admit = () => {
    const member = Member.start(PROGRAM)
    const worker = workers.at(-1)!
    worker.report({ type: 'ready' })
    port.admit(member)
    return { member, worker }
  }
  const sockets: FakeSocket[] = []
  cleanup(() => closeAll(sockets))
  const connect = (address?: string) => {
    const socket = new FakeSocket(address)
    sockets.push(socket)
    server.emit('connection', socket)
    return socket
  }
  return { port, connect, admit, admitted: Array.from({ length: count }, admit) }
}

/** Waits until their timers are cleared, which the timers of the next test must not see. */
async function closeAll(sockets: readonly FakeSocket[]): Promise<void> {
  sockets.forEach((socket) => socket.destroy())
  await nextTurn()
}

const offersOf = ({ worker }: { worker: FakeWorker }) => worker.offered.length

test.group('The port of a pool', () => {
  test('the port offers a connection to the process that has the fewest, those that report it included', ({
    assert,
    cleanup,
  }) => {
    const { connect, admitted } = portOf({ members: 2 }, cleanup)
    const [first, second] = admitted
    first!.worker.report({ type: 'has', connections: 3, closed: [] })
    second!.worker.report({ type: 'has', connections: 1, closed: [] })
    connect()
    connect()
    assert.deepEqual(admitted.map(offersOf), [0, 2])
    connect()
    connect()
    assert.deepEqual(admitted.map(offersOf), [1, 3])
  })

  test('the port offers connections that come and go to equal processes in turn', ({
    assert,
    cleanup,
  }) => {
    const { connect, admitted } = portOf({ members: 2 }, cleanup)
    const turns = Array.from({ length: 4 }, () => {
      const { remoteAddress } = connect()
      const turn = admitted.findIndex(({ worker }) => worker.offered.length > 0)
      admitted[turn]!.worker.take()
      admitted[turn]!.worker.lose(remoteAddress)
      return turn
    })
    assert.deepEqual(turns, [0, 1, 0, 1])
  })

  test('the port keeps a connection open until a process has it, and closes its own end then', ({
    assert,
    cleanup,
  }) => {
    const { connect, admitted } = portOf({ members: 1 }, cleanup)
    const [{ worker }] = admitted as [(typeof admitted)[0]]
    const sockets = [connect(), connect()]
    assert.deepEqual(
      sockets.map(({ destroyed }) => destroyed),
      [false, false]
    )
    assert.strictEqual(worker.take(), sockets[0])
    assert.deepEqual(
      sockets.map(({ destroyed }) => destroyed),
      [true, false]
    )
  })

  test('the port passes what an ended process had not accepted to another one, and nothing that it had', async ({
    assert,
    cleanup,
  }) => {
    const { connect, admitted } = portOf({ members: 2 }, cleanup)
    const [dies, stays] = admitted as [(typeof admitted)[0], (typeof admitted)[0]]
    stays.worker.report({ type: 'has', connections: 9, closed: [] })
    const [taken, reset, pending] = [connect(), connect(), connect()]
    assert.strictEqual(dies.worker.take(), taken)
    reset.destroy()
    dies.worker.exit('SIGKILL')
    await dies.member.ended
    await nextTurn()
    assert.deepEqual(stays.worker.offered, [pending])
    assert.isFalse(pending.destroyed)
    assert.strictEqual(connect(), stays.worker.offered[1], 'the ended process gets no more')
  })

  test('a process that leaves gets no more connections, and those it was offered stay its own', async ({
    assert,
    cleanup,
  }) => {
    const { port, connect, admitted } = portOf({ members: 2 }, cleanup)
    const [leaves, stays] = admitted as [(typeof admitted)[0], (typeof admitted)[0]]
    const offered = connect()
    port.dismiss(leaves.member)
    connect()
    connect()
    assert.deepEqual(leaves.worker.offered, [offered])
    assert.lengthOf(stays.worker.offered, 2)
    leaves.worker.exit(0)
    await leaves.member.ended
    await nextTurn()
    assert.strictEqual(stays.worker.offered[2], offered, 'it ended without taking it')
  })

  test('without a process a connection waits for the next one, half a minute at most', async ({
    assert,
    cleanup,
  }) => {
    await withManualTimers(async (pass) => {
      const { connect, admit } = portOf({ members: 0 }, cleanup)
      const early = connect()
      await pass(29_999)
      const late = connect()
      assert.isFalse(early.destroyed)
      await pass(1)
      assert.isTrue(early.destroyed)
      const { worker } = admit()
      assert.deepEqual(worker.offered, [late])
    })
  })

  test('an offered connection that no process accepts is closed after half a minute', async ({
    assert,
    cleanup,
  }) => {
    await withManualTimers(async (pass) => {
      const { connect } = portOf({ members: 1 }, cleanup)
      const socket = connect()
      await pass(30_000)
      assert.isTrue(socket.destroyed)
    })
  })

  test('the port closes what waits when it is closed', ({ assert, cleanup }) => {
    const { port, connect } = portOf({ members: 0 }, cleanup)
    const socket = connect()
    port.close()
    assert.isTrue(socket.destroyed)
  })
})

test.group('The limits of connections of a pool', () => {
  const [near, far, proxy] = ['192.0.2.1', '192.0.2.2', '192.0.2.3']
  const limits = { all: 4, perAddress: 2, isShared: (address: string) => address === proxy }

  test('limits count those of an address that wait, are offered, or are with any process', ({
    assert,
    cleanup,
  }) => {
    const { connect, admit } = portOf({ members: 0 }, cleanup, limits)
    const sockets = [connect(near), connect(near)]
    assert.isTrue(connect(near).destroyed, 'two wait')
    const { worker } = admit()
    assert.deepEqual(worker.offered, sockets)
    assert.isTrue(connect(near).destroyed, 'two are offered')
    admit()
    worker.take()
    worker.take()
    assert.isTrue(connect(near).destroyed, 'two are with a process')
    assert.isFalse(connect(far).destroyed)
    worker.lose(near)
    assert.isFalse(connect(near).destroyed, 'one closed')
    assert.isTrue(connect(near).destroyed)
  })

  test('limits count those of a process that drains, until it has ended', async ({
    assert,
    cleanup,
  }) => {
    const { port, connect, admitted } = portOf({ members: 2 }, cleanup, limits)
    const [drains] = admitted as [(typeof admitted)[0]]
    connect(near)
    connect(near)
    admitted.forEach(({ worker }) => worker.take())
    port.dismiss(drains.member)
    assert.isTrue(connect(near).destroyed)
    drains.worker.exit(0)
    await drains.member.ended
    await nextTurn()
    assert.isFalse(connect(near).destroyed)
  })

  test('forget a connection that closed on its way to a process', ({ assert, cleanup }) => {
    const { connect, admitted } = portOf({ members: 1 }, cleanup, limits)
    const [{ worker }] = admitted as [(typeof admitted)[0]]
    connect(near)
    connect(near)
    worker.take(false)
    assert.isFalse(connect(near).destroyed)
    assert.isTrue(connect(near).destroyed)
  })

  test('know no limit for an address that many clients share, but that of all', ({
    assert,
    cleanup,
  }) => {
    const { connect } = portOf({ members: 1 }, cleanup, limits)
    const sockets = Array.from({ length: 5 }, () => connect(proxy))
    assert.deepEqual(
      sockets.map(({ destroyed }) => destroyed),
      [false, false, false, false, true]
    )
  })
})
