import { test } from '@japa/runner'

import { sentinelOptions } from '#signals/sentinel_options'

test.group('Addresses of sentinels', () => {
  test('name the sentinels, the server, its database and the accounts', ({ assert }) => {
    const url = 'redis+sentinel://u:p%40w@one,two:26380/hub?db=3&sentinel_password=s'
    const options = sentinelOptions(url)!
    assert.deepInclude(options, {
      sentinels: [
        { host: 'one', port: 26379 },
        { host: 'two', port: 26380 },
      ],
      name: 'hub',
      username: 'u',
      password: 'p@w',
      db: 3,
      sentinelPassword: 's',
    })
    assert.notProperty(options, 'tls')
  })

  test('addresses ask for TLS to the sentinels and to the server', ({ assert }) => {
    const options = sentinelOptions('rediss+sentinel://one/hub')
    assert.deepInclude(options, { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true, db: 0 })
  })

  test('addresses are not those of a server', ({ assert }) => {
    assert.isUndefined(sentinelOptions('redis://:p@one:6379/1'))
    assert.isUndefined(sentinelOptions('rediss://one'))
  })
})
