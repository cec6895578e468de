import { test } from '@japa/runner'

import { SURFACE_NAMES } from '#configuration/surfaces'
import { boot, isTogether } from '#tests/helpers/application'
import { crossingsIn, gapsOf } from '#tests/helpers/world/crossings'
import { theWorld } from '#tests/helpers/world/world'

await boot()

/** The provider first: requests of core end logins of programs. */
const SURFACES = [...SURFACE_NAMES].sort((one) => (one === 'identity' ? -1 : 0))

test.group('Three realms', () => {
  for (const surface of SURFACES) {
    test(`each route of ${surface} has a rule, and a request that shows it`, ({ assert }) => {
      assert.deepEqual(gapsOf(surface), [])
    })

    test(`${surface} answers exactly those whom the table names`, async ({ assert }) => {
      if (!isTogether()) {
        return
      }
      const crossings = await crossingsIn(surface, await theWorld())
      assert.isEmpty(crossings, `${crossings.length} answers:\n${crossings.join('\n')}`)
    }).timeout(600_000)
  }
})
