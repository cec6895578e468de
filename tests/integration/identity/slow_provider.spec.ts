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
    const [shorter, longer] = [AbortSignal.timeout(2_900), AbortSignal.timeout(6_000)]
    await assert.rejects(() => externalProvider(standIn).introspect('x'), IdentityUnavailable)
    assert.isTrue(shorter.aborted)
    assert.isFalse(longer.aborted)
  })
})
