import { test } from '@japa/runner'

import { Drain } from '#kernel/drain'
import { Ending } from '#kernel/ending'

test.group('An ending', () => {
  test('is told once to whoever asked before, with the first reason', ({ assert }) => {
    const ending = new Ending()
    const told: string[] = []
    ending.tell({ over: () => told.push(`one: ${ending.reason}`) })
    ending.tell({ over: () => told.push(`two: ${ending.reason}`) })
    assert.isFalse(ending.isOver)
    ending.end('first')
    ending.end('second')
    assert.isTrue(ending.isOver)
    assert.deepEqual(told, ['one: first', 'two: first'])
  })

  test('that is past is told at once', ({ assert }) => {
    const ending = new Ending()
    ending.end()
    let isTold = false
    ending.tell({ over: () => (isTold = true) })
    assert.isTrue(isTold)
  })

  test('comes with that of the process, also where it is too late for that', ({ assert }) => {
    const drain = new Drain()
    const [staying, forgotten, late] = [new Ending(), new Ending(), new Ending()]
    drain.ends(staying)
    drain.ends(forgotten)
    drain.forget(forgotten)
    drain.begin()
    drain.ends(late)
    assert.deepEqual(
      [staying, forgotten, late].map(({ isOver }) => isOver),
      [true, false, true]
    )
  })
})
