import { test } from '@japa/runner'

import { Slot } from '#runtime/pool/slot'
import { withManualTimers } from '#tests/helpers/manual_timers'
import { useFakeWorkers } from '#tests/helpers/pool/fake_workers'

type Cleanup = (callback: () => void) => void

const PROGRAM = { name: 'web-1', file: '', environment: {}, startLimitMs: 60_000 }
const IMMEDIATE = 0
const FIRST_PAUSE_MS = 250

/** A slot whose processes a test plays; `calls` says what the pool was to do with connections, in order. */
function slotOf(cleanup: Cleanup) {
  const workers = useFakeWorkers(cleanup)
  const calls: string[] = []
  const errors: string[] = []
  const note = (what: string) => () => void calls.push(`${what} after ${workers.length} starts`)
  const slot = new Slot({
    kind: 'web',
    program: PROGRAM,
    logger: { info() {}, error: (_: unknown, text: string) => void errors.push(text) } as never,
    onReady: note('ready'),
    onLeaving: note('leaving'),
  })
  const start = async () => {
    const started = slot.start()
    workers[0]!.report({ type: 'ready' })
    await started
  }
  return { slot, workers, calls, errors, start }
}

test.group('A slot of a pool', () => {
  test('a slot replaces its process once the successor is ready, and not before', async ({
    assert,
    cleanup,
  }) => {
    const { slot, workers, calls, start } = slotOf(cleanup)
    await start()
    const former = slot.current
    const replaced = slot.replace()
    assert.strictEqual(slot.current, former)
    assert.isEmpty(workers[0]!.signals)
    workers[1]!.report({ type: 'ready' })
    await new Promise((resolve) => setImmediate(resolve))
    assert.deepEqual(calls, [
      'ready after 1 starts',
      'ready after 2 starts',
      'leaving after 2 starts',
    ])
    assert.deepEqual(workers[0]!.signals, ['SIGTERM'])
    workers[0]!.exit(0)
    await replaced
    assert.notStrictEqual(slot.current, former)
    assert.equal(slot.restarts, 0)
  })

  test('announces its stop to its process, and to one that takes its place', async ({
    assert,
    cleanup,
  }) => {
    const { slot, workers, start } = slotOf(cleanup)
    await start()
    assert.isEmpty(workers[0]!.messages)
    slot.announceStop()
    const replaced = slot.replace()
    workers[1]!.report({ type: 'ready' })
    await new Promise((resolve) => setImmediate(resolve))
    workers[0]!.exit(0)
    await replaced
    for (const { messages } of workers) {
      assert.deepEqual(messages, [{ type: 'stopAnnounced' }])
    }
    assert.equal(slot.state, 'ready')
  })

  test('a slot keeps its process where the successor does not start', async ({
    assert,
    cleanup,
  }) => {
    const { slot, workers, start } = slotOf(cleanup)
    await start()
    const former = slot.current
    const replaced = slot.replace()
    workers[1]!.report({ type: 'failed', reason: 'no database' })
    await assert.rejects(() => replaced, 'no database')
    assert.strictEqual(slot.current, former)
    assert.isEmpty(workers[0]!.signals)
  })

  test('restarts a process that ends, at once and then after pauses', async ({
    assert,
    cleanup,
  }) => {
    await withManualTimers(async (pass) => {
      const { slot, workers, errors, start } = slotOf(cleanup)
      await start()
      workers[0]!.exit('SIGKILL')
      await pass(0)
      assert.equal(slot.state, 'restarting')
      assert.deepEqual(await slot.failing(), [
        { name: 'web-1', reason: 'is started again: web-1 was ended by SIGKILL' },
      ])
      await pass(IMMEDIATE + 1)
      assert.lengthOf(workers, 2)
      workers[1]!.report({ type: 'failed', reason: 'no database' })
      await pass(FIRST_PAUSE_MS - 1)
      assert.lengthOf(workers, 2)
      await pass(1)
      assert.lengthOf(workers, 3)
      workers[2]!.report({ type: 'ready' })
      await pass(0)
      assert.equal(slot.state, 'ready')
      assert.equal(slot.restarts, 2)
      assert.deepEqual(errors, ['web-1 was ended by SIGKILL', 'no database'])
    })
  })

  test('that stops starts nothing any more', async ({ assert, cleanup }) => {
    await withManualTimers(async (pass) => {
      const { slot, workers, start } = slotOf(cleanup)
      await start()
      workers[0]!.exit('SIGKILL')
      await slot.stop()
      await pass(60_000)
      assert.lengthOf(workers, 1)
      assert.deepEqual(await slot.failing(), [{ name: 'web-1', reason: 'is stopping' }])
    })
  })
})
