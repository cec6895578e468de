import { test } from '@japa/runner'

import { encodePublicKey } from '#core/nodes/public_key'
import { coreSettings } from '#core/core_settings'
import { isApprovedInitially } from '#core/project_nodes/approval'
import { useSettings } from '#tests/helpers/settings'

test.group('Public keys', () => {
  test('keys of hexadecimal digits are stored unchanged', ({ assert }) => {
    for (const key of ['0123456789abcdef', 'ABCDEF12', 'abc']) {
      assert.equal(encodePublicKey(key), key)
    }
  })

  test('in any other form are stored as the digits of their bytes', ({ assert }) => {
    const pem = '-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYI\n-----END PUBLIC KEY-----\n'
    assert.equal(Buffer.from(encodePublicKey(pem), 'hex').toString('utf8'), pem)
    assert.equal(encodePublicKey('schlüssel'), '7363686cc3bc7373656c')
  })
})

test.group('Nodes of projects', () => {
  test('participations need a decision, unless the nodes are aggregators', ({ assert }) => {
    assert.isFalse(coreSettings().skipsProjectApproval)
    assert.isFalse(isApprovedInitially('default'))
    assert.isTrue(isApprovedInitially('aggregator'))
  })

  test('participations need no decision where an installation does without', ({ assert }) => {
    const switchBack = useSettings(coreSettings, { skipsProjectApproval: true })
    assert.isTrue(isApprovedInitially('default'))
    assert.isTrue(isApprovedInitially('aggregator'))
    switchBack()
    assert.isFalse(isApprovedInitially('default'))
  })
})
