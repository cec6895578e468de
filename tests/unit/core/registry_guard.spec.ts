import { test } from '@japa/runner'

import { guardFor } from '#core/registries/drivers/https_call'
import { HostRules } from '#core/registries/host_rules'

const strict = new HostRules({
  listed: undefined,
  insecure: [],
  named: [],
  isStrict: true,
  ownPorts: [],
})

const isAllowed = (host: string, url: string): boolean => {
  try {
    guardFor(host, strict).requireAllowed(new URL(url))
    return true
  } catch {
    return false
  }
}

test.group('What asks a registry for images', () => {
  test('goes nowhere that the registry leads to', ({ assert }) => {
    assert.isTrue(isAllowed('harbor.example.org', 'https://harbor.example.org/v2/'))
    assert.isTrue(isAllowed('harbor.example.org:8443', 'https://harbor.example.org:8443/v2/'))
    assert.isFalse(isAllowed('harbor.example.org', 'https://elsewhere.example.org/v2/'))
    assert.isFalse(isAllowed('harbor.example.org', 'https://harbor.example.org:8443/v2/'))
    assert.isFalse(isAllowed('harbor.example.org', 'http://127.0.0.1/v2/'))
  })

  test('keeps to the hosts and addresses that a registry may have', async ({ assert }) => {
    assert.isFalse(isAllowed('127.0.0.1', 'https://127.0.0.1/v2/'))
    assert.isFalse(isAllowed('169.254.169.254', 'https://169.254.169.254/v2/'))
    const { promise, resolve } = Promise.withResolvers<Error | null>()
    guardFor('harbor.example.org', strict).lookup('localhost', {}, resolve)
    assert.match(String(await promise), /REGISTRY_HOSTS/)
  })
})
