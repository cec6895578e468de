import { test } from '@japa/runner'

import config from '#config/pool'
import { StartFailure } from '#kernel/start_failure'
import { Member } from '#runtime/pool/member'
import { withManualTimers } from '#tests/helpers/manual_timers'
import { FakeSocket } from '#tests/helpers/pool/fake_socket'
import { useFakeWorkers, type FakeWorker } from '#tests/helpers/pool/fake_workers'

type Cleanup = (callback: () => void) => void

const PROGRAM = { name: 'web-1', file: '', environment: {}, startLimitMs: 60_000 }

function startMember(cleanup: Cleanup): { member: Member; worker: FakeWorker } {
  const workers = useFakeWorkers(cleanup)
  const member = Member.start(PROGRAM)
  // Only its end releases the timer of its start.
  cleanup(() => workers[0]!.exit('SIGKILL'))
  return { member, worker: workers[0]! }
}

const offer = (member: Member, address?: string): FakeSocket => {
  const socket = new FakeSocket(address)
  member.offer(socket as never)
  return socket
}

/** How a promise stands once whatever is due has run: its value, its failure, or that it is pending. */
async function outcomeOf(promise: Promise<unknown>): Promise<unknown> {
  const later = new Promise((resolve) => setImmediate(() => resolve('pending')))
  return Promise.race([promise.catch((error) => error.message), later])
}

test.group('Connections of a process of a pool', () => {
  test('connections are acknowledged in the order in which they were offered', ({
    assert,
    cleanup,
  }) => {
    const { member, worker } = startMember(cleanup)
    const [first, second] = [offer(member), offer(member)]
    worker.take()
    assert.isTrue(first.destroyed)
    assert.isFalse(second.destroyed)
    worker.exit('SIGKILL')
    assert.deepEqual(member.takeUndelivered() as unknown[], [second])
    assert.isEmpty(member.takeUndelivered(), 'they are taken back once')
  })

  test('connections count from the offer until they are reported to be closed', ({
    assert,
    cleanup,
  }) => {
    const { member, worker } = startMember(cleanup)
    const loads = () => [member.load, member.loadFrom('192.0.2.1'), member.loadFrom('192.0.2.2')]
    offer(member, '192.0.2.1')
    offer(member, '192.0.2.2')
    assert.deepEqual(loads(), [2, 1, 1])
    worker.take()
    worker.take()
    assert.deepEqual(loads(), [2, 1, 1])
    worker.lose('192.0.2.2')
    assert.deepEqual(loads(), [1, 1, 0])
    offer(member, '192.0.2.2')
    worker.take(false)
    assert.deepEqual(loads(), [1, 1, 0], 'it had closed on its way')
  })

  test('connections of which the acknowledgement arrives after the exit are not passed to another process', async ({
    assert,
    cleanup,
  }) => {
    const { member, worker } = startMember(cleanup)
    offer(member)
    worker.exit(0, false)
    assert.equal(await outcomeOf(member.ended), 'pending')
    worker.take()
    worker.emit('disconnect')
    assert.equal(await outcomeOf(member.ended), 'ended with exit code 0')
    assert.isEmpty(member.takeUndelivered())
  })

  test('connections of a process that never sends a last word are passed on after a tenth of a second', async ({
    assert,
    cleanup,
  }) => {
    await withManualTimers(async (pass) => {
      const { member, worker } = startMember(cleanup)
      worker.exit('SIGKILL', false)
      await pass(99)
      assert.equal(await outcomeOf(member.ended), 'pending')
      await pass(1)
      assert.equal(await outcomeOf(member.ended), 'was ended by SIGKILL')
    })
  })
})

test.group('A process of a pool', () => {
  test('that is not ready in time is killed, and its start fails', async ({ assert, cleanup }) => {
    await withManualTimers(async (pass) => {
      const { member, worker } = startMember(cleanup)
      await pass(59_999)
      assert.equal(await outcomeOf(member.ready), 'pending')
      assert.isEmpty(worker.signals)
      await pass(1)
      assert.equal(await outcomeOf(member.ready), 'web-1 was not ready after 60 s.')
      assert.deepEqual(worker.signals, ['SIGKILL'])
    })
  })

  test('that is ready has no limit any more', async ({ assert, cleanup }) => {
    await withManualTimers(async (pass) => {
      const { member, worker } = startMember(cleanup)
      worker.report({ type: 'ready' })
      await member.ready
      await pass(60_000)
      assert.isEmpty(worker.signals)
    })
  })

  test('that ends before it is ready, or reports why it cannot start, fails its start with that', async ({
    assert,
    cleanup,
  }) => {
    const ends = startMember(cleanup)
    ends.worker.exit(7)
    const failure = await ends.member.ready.catch((error: unknown) => error)
    assert.instanceOf(failure, StartFailure)
    assert.equal((failure as Error).message, 'web-1 ended with exit code 7 while it started.')
    const reports = startMember(cleanup)
    reports.worker.report({ type: 'failed', reason: 'no database' })
    await assert.rejects(() => reports.member.ready, 'no database')
  })

  test('that drains for too long is killed', async ({ assert, cleanup }) => {
    await withManualTimers(async (pass) => {
      const { member, worker } = startMember(cleanup)
      const stopped = member.stop()
      await pass(config.stopLimitMs - 1)
      assert.deepEqual(worker.signals, ['SIGTERM'])
      await pass(1)
      assert.deepEqual(worker.signals, ['SIGTERM', 'SIGKILL'])
      worker.exit('SIGKILL')
      await stopped
    })
  })

  test('that has ended by itself is not killed later', async ({ assert, cleanup }) => {
    await withManualTimers(async (pass) => {
      const { member, worker } = startMember(cleanup)
      const stopped = member.stop()
      worker.exit(0)
      await stopped
      await pass(config.stopLimitMs)
      assert.deepEqual(worker.signals, ['SIGTERM'])
    })
  })

  test('the process has three seconds for an answer, and one that is late changes nothing', async ({
    assert,
    cleanup,
  }) => {
    await withManualTimers(async (pass) => {
      const { member, worker } = startMember(cleanup)
      const late = member.request('failing')
      await pass(2_999)
      assert.equal(await outcomeOf(late), 'pending')
      await pass(1)
      assert.equal(await outcomeOf(late), 'does not answer')
      const next = member.request('degraded')
      worker.report({ type: 'answer', id: 1, answer: [] })
      assert.equal(await outcomeOf(next), 'pending')
      const answer = [{ name: 'redis', reason: 'away' }]
      worker.report({ type: 'answer', id: 2, answer })
      assert.deepEqual(await outcomeOf(next), answer)
    })
  })

  test('that ends leaves no question without an outcome', async ({ assert, cleanup }) => {
    const { member, worker } = startMember(cleanup)
    const questions = [member.request('failing'), member.request('metrics')]
    worker.report({ type: 'unanswered', id: 1, reason: 'no' })
    worker.exit('SIGKILL')
    const outcomes = await Promise.allSettled(questions)
    assert.deepEqual(
      outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason.message),
      ['no', 'was ended by SIGKILL']
    )
  })
})
