import { test } from '@japa/runner'

import { Draw } from '#tests/chaos/draw'
import { inOrder } from '#tests/machines/order'
import { longestGap } from '#tests/machines/outages'
import { byFormerPrimaries } from '#tests/machines/primary_probes'
import { tableOf } from '#tests/machines/table'

const round = (name: string, seconds: number, problems: string[] = []) => ({
  name,
  hosts: ['db1'],
  outages: { writes: seconds * 1_000, messages: 0, uploads: 500 },
  problems,
  counts: { writes: 1, messages: 1, uploads: 1 },
})

test.group('The drill with several hosts', () => {
  test('the longest wait may be before the first or after the last answer', ({ assert }) => {
    assert.equal(longestGap([], 0, 900), 900)
    assert.equal(longestGap([500, 600], 0, 700), 500)
    assert.equal(longestGap([100, 200], 0, 900), 700)
    assert.equal(longestGap([100, 500, 5_000], 0, 600), 400)
  })

  test('the table has the median and the worst of each break, and how often something was lost', ({
    assert,
  }) => {
    const rounds = [round('b', 3, ['lost']), round('a', 1), round('b', 1), round('b', 20)]

    assert.deepEqual(tableOf(rounds).split('\n').slice(2), [
      '| a           |      1 |    0 |  1.0 / 1.0 | 0.0 / 0.0 | 0.5 / 0.5 |',
      '| b           |      3 |    1 | 3.0 / 20.0 | 0.0 / 0.0 | 0.5 / 0.5 |',
    ])
  })

  test('each breaks as often as wanted, and what broke in earlier runs counts', ({ assert }) => {
    const names = (earlier: string[]) => {
      const [breaks, before] = [['a', 'b', 'c'], earlier].map((all) =>
        all.map((name) => ({ name }))
      )
      return inOrder(breaks!, { draw: new Draw(7), rounds: 2, earlier: before! }).map(
        ({ name }) => name
      )
    }

    assert.sameMembers(names([]).slice(0, 3), ['a', 'b', 'c'])
    assert.sameMembers(names([]).slice(3), ['a', 'b', 'c'])
    assert.sameMembers(names(['a', 'b', 'b', 'b', 'other']), ['a', 'c', 'c'])
  })

  test('a write that a former primary takes after its successor did is found', ({ assert }) => {
    const write = (id: string, timeline: number, sentAt: number, at: number) => {
      return { id, timeline, sentAt, at }
    }
    const confirmed = [
      write('first', 1, 0, 1),
      write('sent before the switch', 1, 2, 9),
      write('successor', 2, 3, 5),
      write('sent after the switch', 1, 6, 7),
      write('sent meanwhile', 1, 4, 8),
    ]

    assert.deepEqual(
      byFormerPrimaries(confirmed).map(({ id }) => id),
      ['sent after the switch']
    )
  })
})
