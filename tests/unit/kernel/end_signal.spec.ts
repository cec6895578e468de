import { test } from '@japa/runner'

import { Drain } from '#kernel/drain'
import { EndSignal } from '#kernel/end_signal'

test.group('EndSignal', () => {
  test('the signal calls listeners once, with the first reason', ({ assert }) => {
    const ending = new EndSignal()
    const ended: string[] = []
    ending.addListener({ onEnd: () => ended.push(`one: ${ending.reason}`) })
    ending.addListener({ onEnd: () => ended.push(`two: ${ending.reason}`) })
    assert.isFalse(ending.hasEnded)
    ending.end('first')
    ending.end('second')
    assert.isTrue(ending.hasEnded)
    assert.deepEqual(ended, ['one: first', 'two: first'])
  })

  test('the signal calls late listeners at once', ({ assert }) => {
    const ending = new EndSignal()
    ending.end()
    let hasEnded = false
    ending.addListener({ onEnd: () => (hasEnded = true) })
    assert.isTrue(hasEnded)
  })

  test('the signal ends when the process shuts down, even if it registers late', ({ assert }) => {
    const drain = new Drain()
    const [staying, forgotten, late] = [new EndSignal(), new EndSignal(), new EndSignal()]
    drain.register(staying)
    drain.register(forgotten)
    drain.unregister(forgotten)
    drain.start()
    drain.register(late)
    assert.deepEqual(
      [staying, forgotten, late].map(({ hasEnded }) => hasEnded),
      [true, false, true]
    )
  })
})
