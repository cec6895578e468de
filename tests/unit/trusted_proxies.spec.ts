import { test } from '@japa/runner'

import { consoleAddresses, trustedProxies } from '#http/trusted_proxies'

test.group('Trusted proxies', () => {
  test('only addresses in a named range or network are trusted')
    .with([
      { entries: ['loopback'], address: '127.0.0.1', trusted: true },
      { entries: ['loopback'], address: '::1', trusted: true },
      { entries: ['loopback'], address: '::ffff:127.0.0.1', trusted: true },
      { entries: ['loopback'], address: '10.0.0.1', trusted: false },
      { entries: ['uniquelocal'], address: '10.1.2.3', trusted: true },
      { entries: ['203.0.113.0/24'], address: '203.0.113.9', trusted: true },
      { entries: ['203.0.113.0/24'], address: '203.0.114.9', trusted: false },
      { entries: ['203.0.113.7', 'loopback'], address: '203.0.113.7', trusted: true },
      { entries: ['2001:db8::/32'], address: '2001:db8::1', trusted: true },
      { entries: [], address: '127.0.0.1', trusted: false },
    ])
    .run(({ assert }, { entries, address, trusted }) => {
      assert.equal(trustedProxies(entries)(address), trusted)
    })

  test('a process that serves the console believes its own machine')
    .with([
      { SURFACES: ['core', 'console'], HOST: '0.0.0.0', address: '127.0.0.1', trusted: true },
      { SURFACES: ['core', 'console'], HOST: '10.0.0.9', address: '10.0.0.9', trusted: true },
      { SURFACES: ['core', 'console'], HOST: 'localhost', address: '::1', trusted: true },
      { SURFACES: ['core', 'console'], HOST: '0.0.0.0', address: '127.0.0.2', trusted: false },
      { SURFACES: ['core', 'console'], HOST: '0.0.0.0', address: '192.0.2.1', trusted: false },
      { SURFACES: ['core', 'identity'], HOST: '0.0.0.0', address: '127.0.0.1', trusted: false },
    ] as const)
    .run(({ assert }, { SURFACES, HOST, address, trusted }) => {
      const isTrusted = trustedProxies(consoleAddresses({ SURFACES: [...SURFACES], HOST }))
      assert.equal(isTrusted(address), trusted)
    })
})
