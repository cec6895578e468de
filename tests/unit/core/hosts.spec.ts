import { test } from '@japa/runner'

import { hostRule, normalizeHost } from '#core/host_rule'
import { body } from '#kernel/body'

const registry = body({ host: hostRule() })

test.group('Hosts of registries', () => {
  test('L20: {entered} is stored as {kept}')
    .with([
      { entered: 'registry.example.org', kept: 'registry.example.org' },
      { entered: 'registry.example.org:8443', kept: 'registry.example.org:8443' },
      { entered: 'https://registry.example.org', kept: 'registry.example.org' },
      { entered: 'http://registry.example.org/', kept: 'registry.example.org' },
      { entered: 'https://registry.example.org:8443', kept: 'registry.example.org:8443' },
      { entered: 'http://127.0.0.1:5000/v2/?a=b#c', kept: '127.0.0.1:5000' },
      { entered: 'https://registry.example.org:443', kept: 'registry.example.org:443' },
      { entered: 'HTTPS://Registry.Example.org:8443/x', kept: 'registry.example.org:8443' },
      { entered: 'https://[::1]:5000/', kept: '[::1]:5000' },
      { entered: 'https://somebody:secret@registry.example.org', kept: 'registry.example.org' },
      { entered: '  registry.example.org  ', kept: 'registry.example.org' },
    ])
    .run(async ({ assert }, { entered, kept }) => {
      assert.equal(normalizeHost(entered), kept)
      assert.equal(normalizeHost(kept), kept, 'what is kept stays as it is')
      assert.equal((await registry.validate({ host: entered })).host, kept)
    })

  test('{$self} is not a host')
    .with(['https://', 'http:///path', 'https://somebody@', 'https://a'])
    .run(async ({ assert }, host) => {
      const { messages } = (await registry.validate({ host }).catch((error) => error)) as any
      assert.deepEqual(
        messages.map(({ code, path }: any) => [code, ...path]),
        [['value_invalid', 'host']]
      )
    })
})
