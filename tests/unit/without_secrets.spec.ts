import { test } from '@japa/runner'

import { withoutSecrets } from '#observability/without_secrets'

test.group('Logged content', () => {
  test('the log shows nothing that bears the name of a secret, at any depth', ({ assert }) => {
    const shown = withoutSecrets({
      user: 'ann',
      accountSecret: 'x1',
      nested: { headers: { authorization: 'x2', host: 'h' }, list: [{ access_token: 'x3' }] },
      password: 'x4',
    })
    assert.deepEqual(shown, {
      user: 'ann',
      accountSecret: '[redacted]',
      nested: {
        headers: { authorization: '[redacted]', host: 'h' },
        list: [{ access_token: '[redacted]' }],
      },
      password: '[redacted]',
    })
  })

  test('the log leaves errors to those who know how to show them', ({ assert }) => {
    const error = new Error('no')
    assert.strictEqual(withoutSecrets({ err: error }).err, error)
  })
})
