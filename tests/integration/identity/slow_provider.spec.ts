import { test } from '@japa/runner'

import { IdentityUnavailable } from '#kernel/failures'
import { StandInProvider } from '#tests/unit/identity/stand_in/stand_in_provider'
import { externalProvider } from '#tests/unit/identity/subjects'

test.group('External provider | one that answers with', (group) => {
  let standIn: StandInProvider

  group.each.setup(async () => {
    standIn = await StandInProvider.start()
    return () => standIn.goAway()
  })

  test('nothing for three seconds is unavailable', async ({ assert }) => {
    standIn.fail(() => new Promise(() => {}))
    const startedAt = performance.now()
    await assert.rejects(() => externalProvider(standIn).introspect('x'), IdentityUnavailable)
    const waited = performance.now() - startedAt
    assert.isAtLeast(waited, 2_900)
    assert.isBelow(waited, 5_000)
  })
})
