import { test } from '@japa/runner'

import { health } from '#observability/health'
import { at } from '#tests/helpers/application'

const ready = async () => {
  const response = await fetch(at('core', '/health/ready'))
  return { status: response.status, body: (await response.json()) as any }
}

test.group('Readiness', () => {
  test('an unavailable optional store is reported, and requests are still served', async ({
    assert,
    cleanup,
  }) => {
    cleanup(
      health.watchOptional('object store', async () => {
        throw new Error('The object store does not answer; try again shortly')
      })
    )
    const { status, body } = await ready()
    assert.equal(status, 200)
    assert.equal(body.status, 'degraded')
    // On a busy machine other optional checks may take too long.
    assert.deepInclude(body.degraded, {
      name: 'object store',
      reason: 'The object store does not answer; try again shortly',
    })
  })

  test('what a process cannot do without is still 503', async ({ assert, cleanup }) => {
    cleanup(
      health.watch('database', async () => {
        throw new Error('it is away')
      })
    )
    assert.equal((await ready()).status, 503)
  })
})
