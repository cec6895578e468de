import { test } from '@japa/runner'

import { platformActor } from '#auth/service_origin'
import { overrideClock } from '#kernel/clock'

import { StandInProvider } from '#tests/unit/identity/stand_in/stand_in_provider'
import { externalProvider } from './subjects.js'

test.group('The platform as an actor', () => {
  test('the platform is introspected once a minute, however many calls it makes', async ({
    assert,
    cleanup,
  }) => {
    const standIn = await StandInProvider.start()
    cleanup(() => standIn.goAway())
    const provider = externalProvider(standIn)
    const actors = await Promise.all(Array.from({ length: 20 }, () => platformActor(provider)))
    const requests = standIn.seen.length
    await platformActor(provider)
    assert.lengthOf([...new Set(actors.map(({ id }) => id))], 1)
    assert.equal(standIn.count('/token/introspect'), 1)
    assert.lengthOf(standIn.seen, requests)
    cleanup(overrideClock({ now: () => Date.now() + 61_000 }))
    await platformActor(provider)
    assert.equal(standIn.count('/token/introspect'), 2)
  })
})
