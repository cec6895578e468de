import { test } from '@japa/runner'

import { isNamespace, namespaceAliases } from '#realtime/namespaces'

test.group('Namespaces of sockets', () => {
  test('namespaces are those of all realms and of each of them', ({ assert }) => {
    for (const name of ['/resources', '/resources/a-1_B', '/resources:a-1_B']) {
      assert.isTrue(isNamespace(name), name)
    }
    for (const name of [
      '',
      '/',
      'resources',
      '/resources/',
      '/resources:',
      '/resourcesx',
      '/resources/a/b',
      '/resources/a:b',
      '/resources/*',
      '/resources/a\n',
      `/resources/${'a'.repeat(129)}`,
    ]) {
      assert.isFalse(isNamespace(name), name)
    }
  })

  test('namespaces of a realm are emitted to both spellings', ({ assert }) => {
    const both = ['/resources/realm', '/resources:realm']
    assert.deepEqual(namespaceAliases('/resources/realm'), both)
    assert.deepEqual(namespaceAliases('/resources:realm'), both)
    assert.deepEqual(namespaceAliases('/resources'), ['/resources'])
  })
})
