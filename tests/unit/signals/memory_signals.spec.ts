import { test } from '@japa/runner'

import { MemorySignals } from '#signals/memory_signals'
import { signalsSuite } from '#tests/helpers/signals/signals_suite'

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

test.group('Signals in memory', () => {
  test('signals work as soon as they are made', async ({ assert }) => {
    const received: string[] = []
    const signals = new MemorySignals()
    const stop = await signals.onNotification('outbox', () => received.push('woken'))
    signals.notify('outbox')
    await null
    await stop()
    assert.deepEqual(received, ['woken'])
  })
})
