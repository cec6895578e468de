import { test } from '@japa/runner'

import { Alarms } from '#kernel/alarms'
import { clock, overrideClock } from '#kernel/clock'
import { withManualTimers } from '#tests/helpers/manual_timers'

const STARTED_AT = Date.parse('2026-01-01T00:00:00Z')

function listener(wake = () => {}) {
  const calls: number[] = []
  return {
    woken: calls,
    onAlarm() {
      calls.push(clock.now() - STARTED_AT)
      wake()
    },
  }
}

test.group('Alarms', (group) => {
  let now: number

  group.each.setup(() => {
    now = STARTED_AT
    return overrideClock({ now: () => now })
  })

  const passing = (work: (pass: (milliseconds: number) => Promise<void>) => Promise<void>) =>
    withManualTimers((pass) =>
      work((milliseconds) => {
        now += milliseconds
        return pass(milliseconds)
      })
    )

  test('call each listener on time, with one timer for equal times', async ({ assert }) => {
    await passing(async (pass) => {
      const alarms = new Alarms()
      const [one, two, late, past] = [listener(), listener(), listener(), listener()]
      alarms.schedule(one, STARTED_AT + 100)
      alarms.schedule(two, STARTED_AT + 100)
      alarms.schedule(late, STARTED_AT + 300)
      alarms.schedule(past, STARTED_AT - 100)
      assert.equal(alarms.size, 3)
      for (const milliseconds of [1, 98, 1, 199, 1, 1_000]) {
        await pass(milliseconds)
      }
      assert.deepEqual(
        [one, two, late, past].map(({ woken: calls }) => calls),
        [[100], [100], [300], [1]]
      )
      assert.equal(alarms.size, 0)
    })
  })

  test('alarms release cancelled listeners, even if an earlier listener cancels them', async ({
    assert,
  }) => {
    await passing(async (pass) => {
      const alarms = new Alarms()
      const spared = listener()
      const sparing = listener(() => alarm.cancel(spared))
      const alarm = alarms.schedule(sparing, STARTED_AT + 100)
      alarms.schedule(spared, STARTED_AT + 100)
      const alone = listener()
      alarms.schedule(alone, STARTED_AT + 200).cancel(alone)
      assert.equal(alarms.size, 1)
      await pass(100)
      await pass(100)
      assert.lengthOf(sparing.woken, 1)
      assert.isEmpty([...spared.woken, ...alone.woken])
    })
  })

  test('alarms can be scheduled again for the same time by a listener', async ({ assert }) => {
    await passing(async (pass) => {
      const alarms = new Alarms()
      const again = listener(() => {
        if (again.woken.length === 1) {
          first.cancel(again)
          alarms.schedule(again, STARTED_AT + 100)
        }
      })
      const first = alarms.schedule(again, STARTED_AT + 100)
      await pass(100)
      await pass(1)
      assert.lengthOf(again.woken, 2)
      assert.equal(alarms.size, 0)
    })
  })
})
