import { randomInt } from 'node:crypto'

import { test } from '@japa/runner'

import { problems, survive } from '#tests/chaos/messenger/kills'
import { Ledger } from '#tests/chaos/messenger/ledger'
import { setting } from '#tests/chaos/setting'

const KILLS = setting('KILLS', 3)
const SENDS = setting('SENDS', 300)
const SEED = setting('SEED', randomInt(1, 2 ** 32))

test.group('Chaos of messages', () => {
  test('what was accepted is delivered once and in order, whichever process is killed meanwhile', async ({
    assert,
  }) => {
    const found = await survive({
      kills: KILLS,
      seed: SEED,
      sendsPerSecond: SENDS,
      say: console.log,
    })
    assert.deepEqual(found, [])
  }).timeout(120_000 + KILLS * 30_000)
})

test.group('Chaos of messages | ledger', () => {
  const message = (number: number, id = `id-${number}`) => ({
    id,
    createdAt: `2026-01-01T00:00:0${number}.000Z`,
    data: { sender: 1, number },
  })

  function ledger(pulls: readonly ReturnType<typeof message>[][], acknowledged: string[] = []) {
    const one = new Ledger(1)
    one.noteAccepted(0, { sender: 1, number: 1 })
    one.noteAccepted(0, { sender: 1, number: 2 })
    pulls.forEach((messages) => {
      one.notePulled(0, messages)
      one.noteAcknowledged(0, acknowledged)
    })
    return problems(one.counts)
  }

  test('the ledger is content where all was pulled in order, if more than once', ({ assert }) => {
    assert.deepEqual(ledger([[message(1)], [message(1), message(2)]]), [])
  })

  test('the ledger sees {what}')
    .with([
      { what: 'what was lost', pulls: [[message(1)]], says: /lost: 1/ },
      { what: 'another order', pulls: [[message(2), message(1)]], says: /outOfOrder: 1/ },
      {
        what: 'a duplicate',
        pulls: [[message(1), message(1, 'x'), message(2)]],
        says: /duplicates: 1/,
      },
      {
        what: 'what came back after it was acknowledged',
        pulls: [[message(1)], [message(1), message(2)]],
        acknowledged: ['id-1'],
        says: /returned: 1/,
      },
    ])
    .run(({ assert }, { pulls, acknowledged, says }) => {
      assert.match(ledger(pulls, acknowledged).join(', '), says)
    })
})
