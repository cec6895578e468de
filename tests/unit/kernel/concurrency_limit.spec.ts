import { test } from '@japa/runner'

import { ConcurrencyLimit } from '#kernel/concurrency_limit'
import { identity } from '#tests/helpers/identities'

const [ANNA, BORIS, CARLA] = [identity().actor, identity().actor, identity().actor]

const limitOf = (limits: { perCaller: number; total: number }) =>
  new ConcurrencyLimit({ ...limits, refusal: (scope) => new Error(`limit of ${scope}`) })

test.group('A concurrency limit', () => {
  test('a limit refuses what a caller starts beyond his own share, and no other caller', ({
    assert,
  }) => {
    const limit = limitOf({ perCaller: 2, total: 10 })
    limit.start(ANNA)
    limit.start(ANNA)

    assert.throws(() => limit.start(ANNA), 'limit of caller')
    assert.doesNotThrow(() => limit.start(BORIS))
  })

  test('a limit counts a user and a client with the same id apart', ({ assert }) => {
    const limit = limitOf({ perCaller: 1, total: 10 })
    limit.start(ANNA)

    assert.doesNotThrow(() => limit.start(identity({ kind: 'client', id: ANNA.id }).actor))
  })

  test('a limit refuses everybody beyond the limit of all', ({ assert }) => {
    const limit = limitOf({ perCaller: 1, total: 2 })
    const end = limit.start(ANNA)
    limit.start(BORIS)

    assert.throws(() => limit.start(CARLA), 'limit of total')
    end()
    assert.doesNotThrow(() => limit.start(CARLA))
  })

  test('a limit has room again after work that failed', async ({ assert }) => {
    const limit = limitOf({ perCaller: 1, total: 1 })
    const work = () => Promise.reject(new Error('of the work'))

    await assert.rejects(() => limit.run(ANNA, work), 'of the work')
    assert.equal(await limit.run(ANNA, async () => 'done'), 'done')
  })

  test('a limit has no room while work continues', async ({ assert }) => {
    const limit = limitOf({ perCaller: 1, total: 1 })
    const { promise, resolve } = Promise.withResolvers<void>()
    const work = limit.run(ANNA, () => promise)

    await assert.rejects(() => limit.run(ANNA, async () => {}), 'limit of caller')
    resolve()
    await work
  })
})
