import { test } from '@japa/runner'

import { Refused } from '#client/failures'
import { repeat } from '#client/repeat'
import { withManualTimers } from '#tests/helpers/manual_timers'

const PAUSES = { firstMs: 100, longestMs: 400 }

const refused = (retryAfter: string) =>
  new Refused({ status: 503, headers: new Headers({ 'retry-after': retryAfter }) }, {})

/** A request that fails until the last attempt. */
function failing(times: number, error: Error) {
  const request = async () => {
    request.attempts += 1
    if (request.attempts <= times) {
      throw error
    }
    return 'answer'
  }
  request.attempts = 0
  return request
}

const options = (signal = new AbortController().signal) => ({
  signal,
  isFinal: () => false,
  pauses: PAUSES,
})

test.group('A repeated request', () => {
  test('the request succeeds as soon as the server answers', async ({ assert }) => {
    const request = failing(3, new Error('away'))
    await withManualTimers(async (pass) => {
      const answer = repeat(request, options())
      for (const pauseMs of [100, 200, 400]) {
        await pass(pauseMs)
      }
      assert.equal(await answer, 'answer')
    })
    assert.equal(request.attempts, 4)
  })

  for (const [what, error] of [
    ['the server asks', refused('30')],
    ['its cause asks', new Error('unavailable', { cause: refused('30') })],
  ] as const) {
    test(`the request waits as long as ${what} for it`, async ({ assert }) => {
      const request = failing(1, error)
      await withManualTimers(async (pass) => {
        const answer = repeat(request, options())
        await pass(29_000)
        assert.equal(request.attempts, 1)
        await pass(1_000)
        assert.equal(await answer, 'answer')
      })
    })
  }

  test('the request waits for one minute at most', async ({ assert }) => {
    const request = failing(1, refused('86400'))
    await withManualTimers(async (pass) => {
      const answer = repeat(request, options())
      await pass(60_000)
      assert.equal(await answer, 'answer')
    })
  })

  test('the request fails at once where its failure is final', async ({ assert }) => {
    const request = failing(1, new Error('no'))
    await assert.rejects(() => repeat(request, { ...options(), isFinal: () => true }), 'no')
    assert.equal(request.attempts, 1)
  })

  test('the request fails where the next attempt would come too late', async ({ assert }) => {
    const request = failing(1, refused('30'))
    await assert.rejects(() => repeat(request, { ...options(), forMs: 20_000 }), /503/)
    assert.equal(request.attempts, 1)
  })

  test('the request ends with its signal, also while it waits', async ({ assert }) => {
    const controller = new AbortController()
    const request = failing(2, refused('30'))
    const answer = repeat(request, options(controller.signal))
    setImmediate(() => controller.abort(new Error('ended')))
    await assert.rejects(() => answer, 'ended')
    assert.equal(request.attempts, 1)
  })

  test('the request knows a time to wait until a date', ({ assert }) => {
    const { retryAfterMs } = refused(new Date(Date.now() + 20_000).toUTCString())
    assert.approximately(retryAfterMs!, 20_000, 5_000)
    assert.equal(refused('Thu, 01 Jan 1970 00:00:00 GMT').retryAfterMs, 0)
    assert.isUndefined(refused('soon').retryAfterMs)
  })
})
