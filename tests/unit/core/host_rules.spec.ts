import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { test } from '@japa/runner'

import { RegistryFailure } from '#core/registries/registry_driver'
import { HarborApi } from '#core/registries/drivers/harbor_api'
import { HostRules, isHostAndPort } from '#core/registries/host_rules'
import { ACCOUNT } from '#tests/helpers/core/harbor_server'

const rules = (options: Partial<ConstructorParameters<typeof HostRules>[0]> = {}) =>
  new HostRules({
    allowed: undefined,
    insecure: [],
    configured: [],
    isStrict: true,
    ownPorts: [3000, 3009],
    ...options,
  })

const HERE = [
  'localhost',
  'LOCALHOST:5000',
  'localhost.',
  'a.localhost',
  '127.0.0.1',
  '127.0.0.1:5000',
  '127.1',
  '0177.0.0.1',
  '0x7f.0.0.1',
  '0x7f000001',
  '2130706433',
  '017700000001',
  '0',
  '0.0.0.0',
  '127.0.0.1.',
  '[::1]',
  '[::1]:5000',
  '[::]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b::169.254.169.254]',
  '[2002:7f00:1::]',
  '169.254.169.254',
  '0xa9fea9fe',
  '[fe80::1]',
  '[::ffff:169.254.169.254]',
  '224.0.0.1',
  '255.255.255.255',
  'hub.example.org:3000',
  '10.0.0.5:3009',
  '10.0.0.5',
  '172.16.0.1',
  '172.31.255.254',
  '192.168.1.1',
  '100.64.0.1',
  '100.127.255.254',
  '0x0a000005',
  '[fd12:3456::1]',
  '[fc00::1]',
  '[::ffff:10.0.0.5]',
  '[::ffff:c0a8:101]',
  '[64:ff9b::10.0.0.5]',
  '[64:ff9b::192.168.1.1]',
  '[64:ff9b:1::1]',
  '[2002:a00:5::]',
]

test.group('Hosts of registries in production', () => {
  test('{$self} is rejected unless it is listed')
    .with(HERE)
    .run(({ assert }, host) => {
      assert.isString(rules().findRefusal(host))
      assert.isUndefined(rules({ allowed: [host.toLowerCase()] }).findRefusal(host))
      assert.isUndefined(rules({ isStrict: false }).findRefusal(host))
    })

  test('{$self} is accepted')
    .with([
      ...['harbor.example.org', 'harbor.example.org:8443', '192.0.2.5', '[2001:db8::1]:5000'],
      ...['172.32.0.1', '100.128.0.1', '192.169.0.1', '11.0.0.1', '[::ffff:192.0.2.5]'],
    ])
    .run(({ assert }, host) => {
      assert.isUndefined(rules().findRefusal(host))
      assert.isString(rules({ allowed: ['other.example.org'] }).findRefusal(host))
      assert.isUndefined(rules({ allowed: [], configured: [host] }).findRefusal(host))
    })

  test('the image folder is accepted, whichever hosts are listed', ({ assert }) => {
    for (const options of [{}, { allowed: [] }, { allowed: ['other.example.org'] }]) {
      assert.isUndefined(rules(options).findRefusal('local-images'))
    }
    assert.isString(rules({ allowed: [] }).findRefusal('local-images:5000'))
  })

  test('a name that resolves to this machine at the request is rejected')
    .with([
      ...['127.0.0.1', '::1', '::ffff:127.0.0.1', '169.254.169.254', 'fe80::1', '0.0.0.0'],
      ...['10.1.2.3', '::ffff:10.1.2.3', 'fd00::1', '100.64.1.1'],
    ])
    .run(({ assert }, address) => {
      assert.isUndefined(rules().findRefusal('harbor.example.org'))
      assert.isString(rules().findRefusal('harbor.example.org', address))
      assert.isUndefined(rules().findRefusal('harbor.example.org', '192.0.2.1'))
    })

  test('{$self} is not a host with a port')
    .with([
      ...['a/b', 'a@b', 'a?x=', 'a#b', 'a b', 'a:b', 'a:99999', 'a:1:2', '::1', '[::1', 'a\\b'],
      ...['a%2fb', 'ä.example', 'a\tb', 'a,b', '[::1%25eth0]', ''],
    ])
    .run(({ assert }, host) => {
      assert.isFalse(isHostAndPort(host))
    })
})

test.group('Calls to registries', (group) => {
  let requests: (string | undefined)[] = []
  let port: number

  group.each.setup(async () => {
    requests = []
    const server = createServer((request, response) => {
      requests.push(request.headers.authorization)
      response.writeHead(200, { 'content-type': 'application/json' }).end('[]')
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
    return async () => {
      server.close()
    }
  })

  test('calls never reach this machine, and send no secret there', async ({ assert }) => {
    for (const name of ['127.0.0.1', 'localhost', '127.1']) {
      const api = new HarborApi({ host: `${name}:${port}`, ...ACCOUNT }, { rules: rules() })
      const error = await api.request('GET', 'robots').catch((reason) => reason)
      assert.instanceOf(error, RegistryFailure)
      assert.isTrue(error.isRegistryWide)
      assert.match(error.message, /REGISTRY_HOSTS/)
    }
    assert.isEmpty(requests)
    const host = `localhost:${port}`
    await new HarborApi({ host, ...ACCOUNT }, { rules: rules({ allowed: [host] }) }).request(
      'GET',
      'x'
    )
    assert.lengthOf(requests, 1)
  })

  test('check the address that a name resolves to', async ({ assert }) => {
    // The name is accepted, but it resolves to a loopback address.
    const closed = rules({ ownPorts: [] })
    const refused: string[] = []
    const wary = Object.assign(Object.create(closed), {
      isInsecure: () => false,
      findRefusal: (_host: string, address?: string) => {
        if (address !== undefined) {
          refused.push(address)
          return closed.findRefusal('harbor.example.org', address)
        }
        return undefined
      },
    }) as HostRules
    const api = new HarborApi({ host: `localhost:${port}`, ...ACCOUNT }, { rules: wary })
    await assert.rejects(() => api.request('GET', 'robots'), /REGISTRY_HOSTS/)
    assert.isNotEmpty(refused)
    assert.isEmpty(requests)
  })
})
