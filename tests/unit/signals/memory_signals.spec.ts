import { test } from '@japa/runner'

import { signals, useSignals } from '#signals/current'
import { MemorySignals } from '#signals/memory_signals'
import { signalsSuite } from '#tests/helpers/signals_suite'

/** There is one process, so both sides are the same. */
signalsSuite('memory', async () => {
  let shared: MemorySignals | undefined
  return {
    async connect(report) {
      shared = shared?.isReady ? shared : new MemorySignals(report)
      return shared
    },
    stop: async () => {},
  }
})

test.group('The signals of a process', () => {
  test('are those that were put in place, until they are taken away', async ({ assert }) => {
    const heard: string[] = []
    const other = new MemorySignals()
    await other.subscribe('channel', (payload) => heard.push(payload))
    const undo = useSignals(other)
    await signals.publish([{ channel: 'channel', payload: 'through the other' }])
    undo()
    await signals.publish([{ channel: 'channel', payload: 'not any more' }])
    assert.deepEqual(heard, ['through the other'])
    assert.isTrue(signals.isReady)
  })

  test('work as soon as they are put in place', async ({ assert }) => {
    const heard: string[] = []
    const stop = await signals.onWake('outbox', () => heard.push('woken'))
    signals.wake('outbox')
    await null
    await stop()
    assert.deepEqual(heard, ['woken'])
  })
})
