import { test } from '@japa/runner'

import { INHERITED } from '#query/key_path'
import { parseQueryString } from '#query/query_string'
import { QueryGroup, type QueryValue } from '#query/query_tree'

const NAMES = new Set(['filter', 'fields', 'page'])

function parse(raw: string): unknown {
  return plain(parseQueryString(raw, NAMES).values)
}

function plain(value: QueryValue): unknown {
  if (value instanceof QueryGroup) {
    return Object.fromEntries([...value].map(([name, nested]) => [name, plain(nested)]))
  }
  return Array.isArray(value) ? value.map(plain) : value
}

function repeated(part: string, times: number): string {
  return Array.from({ length: times }, (_, index) => `${part}${index}`).join('&')
}

test.group('Query string', () => {
  test('{0} is parsed as clients expect')
    .with([
      ['filter[a][b]=x', { filter: { a: { b: 'x' } } }],
      ['filter%5Ba%5D=x', { filter: { a: 'x' } }],
      ['filter[a.b]=x', { filter: { 'a.b': 'x' } }],
      ['filter.a=x', {}],
      ['other[a]=x&fields=y', { fields: 'y' }],
      ['fields=a&fields=b', { fields: ['a', 'b'] }],
      ['fields[]=a', { fields: ['a'] }],
      ['fields[1]=b&fields[0]=a', { fields: ['a', 'b'] }],
      ['fields[19]=a', { fields: ['a'] }],
      ['fields[20]=a', { fields: { 20: 'a' } }],
      ['fields=a+b', { fields: 'a b' }],
      ['fields=a%2Bb', { fields: 'a+b' }],
      ['fields=%zz', { fields: '%zz' }],
      ['fields=a;b=c', { fields: 'a;b=c' }],
      ['?fields=a', {}],
      ['fields', { fields: '' }],
      ['filter[', { filter: { '[': '' } }],
      ['filter[a[b]]=x', { filter: { 'a[b]': 'x' } }],
      ['filter[a=b]=c', { filter: { 'a=b': 'c' } }],
      [
        'filter[a][b][c][d][e][f][g]=x',
        { filter: { a: { b: { c: { d: { e: { '[f][g]': 'x' } } } } } } },
      ],
      ['filter=a&filter[b]=c', { filter: ['a', { b: 'c' }] }],
      ['page[limit]=5&page=3', { page: [{ limit: '5' }, '3'] }],
      ['filter[a]=%00', { filter: { a: '\0' } }],
    ] as [string, object][])
    .run(({ assert }, [raw, expected]) => {
      assert.deepEqual(parse(raw), expected)
    })

  test('a value that holds a closing bracket and an equals sign does not become part of the name', ({
    assert,
  }) => {
    assert.deepEqual(parse("filter=eq(name,'a]=b')"), { filter: "eq(name,'a]=b')" })
  })

  test('20 repeats of a name are a list, the 21st turns it into positions', ({ assert }) => {
    const list = Array.from({ length: 20 }, (_, index) => `v${index}`)
    assert.deepEqual(parse(repeated('fields=v', 20)), { fields: list })
    assert.deepEqual(parse(repeated('fields[]=v', 20)), { fields: list })
    assert.deepEqual(parse(repeated('fields=v', 21)), { fields: { ...list, 20: 'v20' } })
    assert.deepEqual(parse(repeated('fields[]=v', 21)), { fields: { ...list, 20: 'v20' } })
  })

  test('names that every object has are names as others are', ({ assert }) => {
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      const { values, ignored } = parseQueryString(`filter[${name}]=x&filter[a]=y`, NAMES)
      const filter = values.get('filter') as QueryGroup
      assert.deepEqual(
        [...filter],
        [
          [name, 'x'],
          ['a', 'y'],
        ]
      )
      assert.lengthOf(ignored, 0)
    }
  })

  test('unsafe names drop their parameter and are reported', ({ assert }) => {
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      const query = `filter[${name}]=x&filter[a]=y`
      const { values, ignored } = parseQueryString(query, NAMES, INHERITED)
      assert.deepEqual(plain(values), { filter: { a: 'y' } })
      assert.deepEqual(ignored, [['filter', name]])
    }
  })

  test('parameters after the 1000th are dropped and reported', ({ assert }) => {
    const { values, ignored } = parseQueryString(`${'x=1&'.repeat(999)}fields=a&page=b`, NAMES)
    assert.deepEqual(plain(values), { fields: 'a' })
    assert.deepEqual(ignored, [['page']])
  })

  test('unrequested parameters are reported, and whether all were checked', ({ assert }) => {
    const few = parseQueryString('filter[a]=1&&Filter[b]=2&page%5Blimit%5D=3&x&', NAMES)
    assert.deepEqual([...few.foreign], ['Filter[b]', 'x'])
    assert.isTrue(few.isWhole)
    assert.isTrue(parseQueryString('x&'.repeat(1_998) + 'x', NAMES).isWhole)
    assert.isFalse(parseQueryString('x&'.repeat(2_000) + 'filter[a]=1', NAMES).isWhole)
  })
})
