import { test } from '@japa/runner'

import { TimerWheel } from '#messenger/delivery/timer_wheel'
import { withManualTimers } from '#tests/helpers/manual_timers'

test.group('Timer wheel', () => {
  test('a wheel does each thing once in a round, and not all of them at once', async ({
    assert,
  }) => {
    await withManualTimers(async (pass) => {
      const done: string[] = []
      const wheel = new TimerWheel<string>({ roundMs: 15_000, slots: 15 }, (item) => {
        done.push(item)
      })
      wheel.add('first')
      await pass(5_000)
      wheel.add('second')
      await pass(9_000)
      assert.deepEqual(done, [])
      await pass(1_000)
      assert.deepEqual(done, ['first'])
      await pass(5_000)
      assert.deepEqual(done, ['first', 'second'])
      await pass(30_000)
      assert.deepEqual(done, ['first', 'second', 'first', 'second', 'first', 'second'])
      wheel.remove('first')
      await pass(15_000)
      assert.deepEqual(done.slice(6), ['second'])
      wheel.remove('second')
    })
  })

  test('a wheel knows how much there is to do', ({ assert }) => {
    const wheel = new TimerWheel<number>({ roundMs: 1_000, slots: 10 }, () => {})
    const items = Array.from({ length: 10 }, (_, number) => number)
    items.forEach((item) => wheel.add(item))
    assert.equal(wheel.size, 10)
    items.forEach((item) => wheel.remove(item))
    items.forEach((item) => wheel.remove(item))
    assert.equal(wheel.size, 0)
  })

  test('a wheel continues for the others if an item is removed in its own turn', async ({
    assert,
  }) => {
    await withManualTimers(async (pass) => {
      const done: string[] = []
      const wheel = new TimerWheel<string>({ roundMs: 1_000, slots: 1 }, (item) => {
        done.push(item)
        wheel.remove('leaving')
      })
      wheel.add('leaving')
      wheel.add('staying')
      await pass(2_000)
      assert.deepEqual(done, ['leaving', 'staying', 'staying'])
      wheel.remove('staying')
    })
  })
})
