import { openAdoptions } from '#database/is_adopting'
import type { Check } from '#doctor/check'
import { eachDatabase } from '#doctor/each_database'
import { finding } from '#doctor/finding'

/** Checks that a move from the former platform was completed. */
export const adoptionCheck: Check = {
  name: 'adoption',
  run(context) {
    return eachDatabase(context, async ({ pool, name }) => {
      const open = await openAdoptions(pool)
      const details = `${open.map(({ service, since }) => `${service} since ${since}`).join(', ')}, in the database of ${name}`
      return open.length > 0 ? [finding('ADOPTION_OPEN', details)] : []
    })
  },
}
