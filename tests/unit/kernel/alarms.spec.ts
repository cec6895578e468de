import { test } from '@japa/runner'

import { Alarms } from '#kernel/alarms'
import { clock, overrideClock } from '#kernel/clock'
import { withHeldTimers } from '#tests/helpers/held_timers'

const BEGUN_AT = Date.parse('2026-01-01T00:00:00Z')

function sleeper(wake = () => {}) {
  const woken: number[] = []
  return {
    woken,
    onAlarm() {
      woken.push(clock.now() - BEGUN_AT)
      wake()
    },
  }
}

test.group('Alarms', (group) => {
  let now: number

  group.each.setup(() => {
    now = BEGUN_AT
    return overrideClock({ now: () => now })
  })

  const passing = (work: (pass: (milliseconds: number) => Promise<void>) => Promise<void>) =>
    withHeldTimers((pass) =>
      work((milliseconds) => {
        now += milliseconds
        return pass(milliseconds)
      })
    )

  test('wake each at its time, and all of one time with one timer', async ({ assert }) => {
    await passing(async (pass) => {
      const alarms = new Alarms()
      const [one, two, late, past] = [sleeper(), sleeper(), sleeper(), sleeper()]
      alarms.schedule(one, BEGUN_AT + 100)
      alarms.schedule(two, BEGUN_AT + 100)
      alarms.schedule(late, BEGUN_AT + 300)
      alarms.schedule(past, BEGUN_AT - 100)
      assert.equal(alarms.size, 3)
      for (const milliseconds of [1, 98, 1, 199, 1, 1_000]) {
        await pass(milliseconds)
      }
      assert.deepEqual(
        [one, two, late, past].map(({ woken }) => woken),
        [[100], [100], [300], [1]]
      )
      assert.equal(alarms.size, 0)
    })
  })

  test('leave nothing of those who are spared, also by one who is woken before them', async ({
    assert,
  }) => {
    await passing(async (pass) => {
      const alarms = new Alarms()
      const spared = sleeper()
      const sparing = sleeper(() => alarm.cancel(spared))
      const alarm = alarms.schedule(sparing, BEGUN_AT + 100)
      alarms.schedule(spared, BEGUN_AT + 100)
      const alone = sleeper()
      alarms.schedule(alone, BEGUN_AT + 200).cancel(alone)
      assert.equal(alarms.size, 1)
      await pass(100)
      await pass(100)
      assert.lengthOf(sparing.woken, 1)
      assert.isEmpty([...spared.woken, ...alone.woken])
    })
  })

  test('can be set anew for the same time by one who is woken', async ({ assert }) => {
    await passing(async (pass) => {
      const alarms = new Alarms()
      const again = sleeper(() => {
        if (again.woken.length === 1) {
          first.cancel(again)
          alarms.schedule(again, BEGUN_AT + 100)
        }
      })
      const first = alarms.schedule(again, BEGUN_AT + 100)
      await pass(100)
      await pass(1)
      assert.lengthOf(again.woken, 2)
      assert.equal(alarms.size, 0)
    })
  })
})
