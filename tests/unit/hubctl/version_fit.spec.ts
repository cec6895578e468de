import { test } from '@japa/runner'

import { SURFACE_NAMES } from '#configuration/surfaces'
import { versionAdvice } from '#hubctl/platform/version_fit'

test.group('The version of hubctl', () => {
  const hub = (version: string | null) => SURFACE_NAMES.map((service) => ({ service, version }))

  test('the version fits hubs whose version breaks nothing', ({ assert }) => {
    assert.isUndefined(versionAdvice(hub('1.4.0'), '1.2.3'))
    assert.isUndefined(versionAdvice(hub('0.2.9'), '0.2.0'))
    assert.isUndefined(versionAdvice(hub('1.0.0-beta.1'), '1.0.0'))
  })

  test('the version does not fit those of another major version, or below 1.0.0 of another minor one', ({
    assert,
  }) => {
    assert.equal(
      versionAdvice(hub('2.0.0'), '1.9.0'),
      'This is hubctl 1.9.0, but the hub has version 2.0.0: install the hubctl of that version.'
    )
    assert.include(versionAdvice(hub('0.3.0'), '0.2.0'), 'the hub has version 0.3.0')
    assert.include(versionAdvice(hub('1.0.0'), '0.9.0'), 'the hub has version 1.0.0')
  })

  test('the version is compared with each service that answers', ({ assert }) => {
    const states = [
      { service: 'core', version: '2.0.0' },
      { service: 'storage', version: null },
      { service: 'telemetry', version: '1.0.0' },
    ] as const
    assert.equal(
      versionAdvice(states, '1.0.0'),
      'This is hubctl 1.0.0, but core has version 2.0.0: install the hubctl of that version.'
    )
    assert.isUndefined(versionAdvice(hub(null), '1.0.0'))
  })
})
