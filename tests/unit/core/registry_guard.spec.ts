import { test } from '@japa/runner'

import { guardRedirects, guardRegistry } from '#core/registries/drivers/registry_http'
import { HostRules } from '#core/registries/host_rules'

const strict = new HostRules({
  allowed: undefined,
  insecure: [],
  configured: [],
  isStrict: true,
  ownPorts: [],
})

const isAllowed = (host: string, url: string): boolean => {
  try {
    guardRegistry(host, strict).requireAllowed(new URL(url))
    return true
  } catch {
    return false
  }
}

test.group('Guards of requests for images', () => {
  test('guards do not follow redirects to other hosts', ({ assert }) => {
    assert.isTrue(isAllowed('harbor.example.org', 'https://harbor.example.org/v2/'))
    assert.isTrue(isAllowed('harbor.example.org:8443', 'https://harbor.example.org:8443/v2/'))
    assert.isFalse(isAllowed('harbor.example.org', 'https://elsewhere.example.org/v2/'))
    assert.isFalse(isAllowed('harbor.example.org', 'https://harbor.example.org:8443/v2/'))
    assert.isFalse(isAllowed('harbor.example.org', 'http://127.0.0.1/v2/'))
  })

  test('guards allow only the hosts and addresses of the rules', async ({ assert }) => {
    assert.isFalse(isAllowed('127.0.0.1', 'https://127.0.0.1/v2/'))
    assert.isFalse(isAllowed('169.254.169.254', 'https://169.254.169.254/v2/'))
    const { promise, resolve } = Promise.withResolvers<Error | null>()
    const url = new URL('https://harbor.example.org/v2/')
    guardRegistry('harbor.example.org', strict).lookupFor(url)('localhost', {}, resolve)
    assert.match(String(await promise), /REGISTRY_HOSTS/)
  })

  test('guards follow redirects, with the same rules for each host', async ({ assert }) => {
    const guard = guardRedirects('harbor.example.org', strict)
    const goes = (url: string) => guard.requireAllowed(new URL(url))
    goes('https://harbor.example.org/v2/')
    goes('https://blobs.example.net/a')
    for (const host of ['127.0.0.1', '10.0.0.5', 'localhost', '[fd00::1]', '169.254.169.254']) {
      assert.throws(() => goes(`https://${host}/latest/meta-data`), /REGISTRY_HOSTS/)
    }
    const { promise, resolve } = Promise.withResolvers<Error | null>()
    guard.lookupFor(new URL('https://blobs.example.net/'))('localhost', { all: true }, resolve)
    assert.match(String(await promise), /REGISTRY_HOSTS/)
  })
})
