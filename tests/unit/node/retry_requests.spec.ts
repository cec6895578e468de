import { test } from '@japa/runner'

import { HubRefusal, HubUnavailable } from '#node/errors'
import { retryRequests } from '#node/hub/retry_requests'

test.group('A request of a node that is repeated', () => {
  test('a request succeeds once the hub is there', async ({ assert }) => {
    let attempts = 0
    const request = async () => {
      attempts += 1
      if (attempts < 3) {
        throw new HubUnavailable('away')
      }
      return 'answer'
    }
    const { signal } = new AbortController()
    assert.equal(await retryRequests(request, HubRefusal.isFinal, signal), 'answer')
    assert.equal(attempts, 3)
  })

  test('a request fails at once if it is refused', async ({ assert }) => {
    let attempts = 0
    const request = async () => {
      attempts += 1
      throw new HubRefusal('no', 403)
    }
    const { signal } = new AbortController()
    await assert.rejects(() => retryRequests(request, HubRefusal.isFinal, signal), HubRefusal)
    assert.equal(attempts, 1)
  })

  test('a request is repeated where only the login was refused', ({ assert }) => {
    assert.isFalse(HubRefusal.isFinal(new HubRefusal('no login', 401)))
    assert.isTrue(HubRefusal.isFinal(new HubRefusal('no such record', 404)))
    assert.isFalse(HubRefusal.isFinal(new HubUnavailable('away')))
  })

  test('a request ends with its signal', async ({ assert }) => {
    const controller = new AbortController()
    let attempts = 0
    const request = async () => {
      attempts += 1
      controller.abort()
      throw new HubUnavailable('away')
    }
    await assert.rejects(
      () => retryRequests(request, HubRefusal.isFinal, controller.signal),
      HubUnavailable
    )
    assert.equal(attempts, 1)
  })
})
