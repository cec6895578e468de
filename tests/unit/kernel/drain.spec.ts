import { test } from '@japa/runner'

import { Drain } from '#kernel/drain'
import { EndSignal } from '#kernel/end_signal'
import { ServiceUnavailable } from '#kernel/failures'
import { withManualTimers } from '#tests/helpers/manual_timers'

const DELAY_MS = 5_000

test.group('An announced drain', () => {
  test('a drain fails readiness at once, and ends nothing before it starts', async ({ assert }) => {
    await withManualTimers(async (pass) => {
      const drain = new Drain()
      const stream = new EndSignal()
      drain.register(stream)
      assert.doesNotThrow(() => drain.requireRunning())
      let isOver = false
      const announced = drain.announce(DELAY_MS).then(() => (isOver = true))
      assert.throws(() => drain.requireRunning(), ServiceUnavailable)
      await pass(DELAY_MS - 50)
      assert.deepEqual([isOver, drain.hasStarted, stream.hasEnded], [false, false, false])
      await pass(50)
      await announced
      assert.deepEqual([drain.hasStarted, stream.hasEnded], [false, false])
      drain.start()
      assert.deepEqual([drain.hasStarted, stream.hasEnded], [true, true])
    })
  })
})
