import type { Check } from '#doctor/check'
import { eachDatabase } from '#doctor/each_database'
import { finding } from '#doctor/finding'
import { backlogOf } from '#outbox/backlog'

const LATE_SECONDS = 60

/** Checks that changes are published. */
export const outboxCheck: Check = {
  name: 'outbox',
  run(context) {
    return eachDatabase(context, async ({ pool, name }) => {
      const { depth, seconds } = await backlogOf(pool)
      const details = `${depth} in the database of ${name}, the oldest for ${Math.round(seconds)} s`
      return seconds > LATE_SECONDS ? [finding('OUTBOX_WAITS', details)] : []
    })
  },
}
