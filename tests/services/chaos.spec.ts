import { randomInt } from 'node:crypto'

import { test } from '@japa/runner'

import { judge } from '#tests/chaos/judge'
import { doWithoutBroker } from '#tests/chaos/outage'
import { survive } from '#tests/chaos/rounds'
import { setting } from '#tests/chaos/setting'

const ROUNDS = setting('ROUNDS', 6)
const SEED = setting('SEED', randomInt(1, 2 ** 32))
const PAUSE_MS = setting('PAUSE_MS', 100)
const OUTAGE_S = setting('OUTAGE_S', 15)

const MINUTE_MS = 60_000

test.group('Chaos | an installation whose parts are killed', () => {
  test('everything that was stored is published and done once, whichever process is killed meanwhile', async ({
    assert,
  }) => {
    const problems = await survive({
      rounds: ROUNDS,
      seed: SEED,
      pauseMs: PAUSE_MS,
      say: console.log,
    })
    assert.deepEqual(problems, [])
  }).timeout((2 + ROUNDS) * MINUTE_MS)

  test('no request notices that the broker is unavailable, which receives everything when it is back', async ({
    assert,
  }) => {
    const problems = await doWithoutBroker({ seconds: OUTAGE_S, say: console.log })
    assert.deepEqual(problems, [])
  }).timeout(2 * OUTAGE_S * 1_000 + 4 * MINUTE_MS)
})

test.group('Chaos | judge', () => {
  const note = (change: string, label: string) => ({ record: 'r', change, label })
  const created = note('created', 'a')
  const renamed = note('updated', 'b')
  const commanded = note('commanded', '1')
  const kept = [created, renamed, commanded]
  const flawless = {
    kept,
    promised: [created, renamed],
    heard: [created, created, renamed, created, renamed],
    audited: [note('created', ''), renamed, commanded],
  }

  test('the judge accepts messages in order, if more than once', ({ assert }) => {
    assert.deepEqual(judge(flawless), [])
  })

  test('the judge sees {what}')
    .with([
      {
        what: 'a broken promise',
        promised: [note('deleted', 'b')],
        says: /to be done, and are not/,
      },
      {
        what: 'what nobody heard of',
        heard: [created],
        says: /never heard of on the bus: r updated/,
      },
      {
        what: 'what never was',
        heard: [created, renamed, note('updated', 'c')],
        says: /never kept/,
      },
      { what: 'another order', heard: [renamed, created, renamed], says: /in another order/ },
      {
        what: 'a lost effect',
        audited: [note('created', ''), renamed],
        says: /commanded 1 \(0 times/,
      },
      {
        what: 'a repeated effect',
        audited: [...flawless.audited, commanded],
        says: /commanded 1 \(2 times/,
      },
      {
        what: 'an effect without a cause',
        audited: [...flawless.audited, note('commanded', '2')],
        says: /audit trail, and were never kept/,
      },
    ])
    .run(({ assert }, { what: _, says, ...flaw }) => {
      const problems = judge({ ...flawless, ...flaw })
      assert.lengthOf(problems, 1)
      assert.match(problems[0]!, says)
    })
})
