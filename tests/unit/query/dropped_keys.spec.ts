import { test } from '@japa/runner'

import { decode } from '#query/decode'
import { droppedKeysError, droppedKeysHeader } from '#query/dropped_keys'

import { seedSchemas, vocabulariesOf } from './vocabularies.js'

const node = vocabulariesOf(seedSchemas()).get('node')!

function header(query: string): string {
  return droppedKeysHeader(decode(node, query).dropped)
}

test.group('Dropped keys', () => {
  test('{0}: {1} is reported as dropped')
    .with([
      ['filter[realm_id]=x', 'filters.realm_id'],
      ['filter[registry.bogus]=x', 'filters.registry.bogus'],
      ['filter[registry][bogus]=x', 'filters.registry.bogus'],
      ['filter[registry.name]=x&include=', 'filters.registry.name'],
      ['filter[name]=', 'filters.name'],
      ['filter[name]=!<5', 'filters.name'],
      ['filter[constructor]=x', 'filters.constructor'],
      ["codec=url-simple&filter=eq(name,'x')", 'filters'],
      ['sort=-updated_at,name', 'sorts.updated_at'],
      ['sort=name,-createdAt', 'sorts.name, sorts.createdAt'],
      ['sort[registry]=-bogus', 'sorts.registry.bogus'],
      ['include=registry,bogus', 'relations.bogus'],
      ['include=registry.bogus', 'relations.registry.bogus'],
      ['fields=id,%2Bbogus', 'fields.bogus'],
      ['fields[registry]=id,bogus', 'fields.registry.bogus'],
      ['fields=id&fields[registry]=name', 'fields.registry'],
      ['fields=id,-id', 'fields.id'],
      ['page[size]=5', 'pagination.size'],
      ['page[limit]=many', 'pagination.limit'],
      ['page=3', 'pagination'],
      ['filter[a]=1&filter[a]=2&filter[b]=3', 'filters.a, filters.b'],
      [`filter[name]=0${'&filter[name]=1'.repeat(20)}`, 'filters.name'],
    ] as [string, string][])
    .run(({ assert }, [query, dropped]) => {
      assert.strictEqual(header(query), dropped)
    })

  test('{0}: nothing is reported')
    .with([
      '',
      'filter=',
      'fields=',
      'sort=,',
      'include=',
      'page[limit]=500',
      'wait=5',
      'fields=id,',
    ])
    .run(({ assert }, query) => {
      assert.strictEqual(header(query), '')
    })

  test('the 1001st parameter is reported', ({ assert }) => {
    assert.strictEqual(header(`${'x=1&'.repeat(1000)}filter[name]=a`), 'filters.name')
  })

  test('no client input escapes the header', ({ assert }) => {
    const value = header('filter[a%0D%0Ax: y, z=é😀]=1')
    assert.strictEqual(value, 'filters.a%0D%0Ax:%20y%2C%20z%3D%C3%A9%F0%9F%98%80')
    assert.match(header(`filter[\ud800]=1`), /^[\x21-\x7e]+$/)
  })

  test('the header stays short however many keys are dropped', ({ assert }) => {
    const keys = Array.from({ length: 900 }, (_, number) => `filter[key${number}]=1`)
    assert.isAtMost(header(keys.join('&')).length, 2048)
  })

  test('strict handling turns each dropped key into an issue', ({ assert }) => {
    const { dropped } = decode(node, 'filter[realm_id]=x&filter[a.b]=1&page=3')
    const { issues, message } = droppedKeysError(dropped)
    assert.strictEqual(message, '3 violations')
    assert.deepEqual(
      issues.map(({ code, path, meta }) => ({ code, path, meta })),
      [
        {
          code: 'keyNotAllowed',
          path: ['realm_id'],
          meta: { parameter: 'filters', key: 'realm_id' },
        },
        { code: 'keyPathInvalid', path: ['a', 'b'], meta: { parameter: 'filters', key: 'a.b' } },
        { code: 'inputInvalid', path: [], meta: { parameter: 'pagination' } },
      ]
    )
  })
})
