import { test } from '@japa/runner'

import type { Condition } from '#query/condition'
import { QueryError } from '#query/errors'
import { labelsOf } from '#query/labels'
import {
  decodeLabelDeletion,
  decodeLabelQuery,
  decodeLogDeletion,
  decodeLogQuery,
} from '#query/log_query'

import { seedSchemas, vocabulariesOf } from './vocabularies.js'

const analysisNodeLog = vocabulariesOf(seedSchemas()).get('analysisNodeLog')!

function labels(query: string): Record<string, string> {
  return labelsOf(decodeLogQuery(query).filters)
}

test.group('Log queries', () => {
  test('any label can be filtered by, in its spelling', ({ assert }) => {
    assert.deepEqual(labels('filter[refType]=node&filter[code]=007'), {
      refType: 'node',
      code: '007',
    })
    assert.deepEqual(labels("filter=and(eq(a,'1'),and(eq(b,'2')))"), { a: '1', b: '2' })
  })

  test('a label is filtered by its exact name, with or without the prefix "labels."', ({
    assert,
  }) => {
    const query = 'filter[labels.refType]=node&filter[x][y.z]=1&filter[a-b]=2&filter[labels]=3'
    assert.deepEqual(labels(query), { 'refType': 'node', 'x.y.z': '1', 'a-b': '2', 'labels': '3' })
    assert.deepEqual(labels("filter=and(eq(labels.x.y,'1'),eq(a-b,'2'))"), {
      'x.y': '1',
      'a-b': '2',
    })
    const long = `a${'.'.repeat(127)}`
    assert.deepEqual(labels(`filter[${long}]=1`), { [long]: '1' })
  })

  test('no label name is special', ({ assert }) => {
    for (const name of [...Object.getOwnPropertyNames(Object.prototype), 'prototype', 'in', 'eq']) {
      const query = `filter[run]=X&filter[${name}]=1`
      if (name.startsWith('_')) {
        assert.throws(() => decodeLogQuery(query), QueryError)
      } else {
        assert.deepEqual(Object.entries(labels(query)), [
          ['run', 'X'],
          [name, '1'],
        ])
      }
    }
  })

  test('an unusable condition is rejected, since the query would match more without it: {0}')
    .with([
      'filter[bad key]=1&filter[good]=2',
      'filter[good]=2&filter[_a]=1',
      'filter[good]=2&filter[a:b]=1',
      'filter[good]=2&filter[labels.labels.a]=1',
      `filter[good]=2&filter[${'a'.repeat(129)}]=1`,
      "filter=eq(_a,'1')",
      `filter[good]=2&${'x=1&'.repeat(999)}filter[a]=1`,
      `filter[good]=2&${'x=1&'.repeat(1_999)}filter[a]=1`,
      'filter[good]=2&filter[empty]=',
      'filter[good]=2&filter[a]=!<5',
    ])
    .run(({ assert }, query) => {
      assert.throws(() => decodeLogQuery(query), QueryError)
    })

  test('a query without a label is refused: {0}')
    .with(['', 'filter=', 'filter[a]=', 'filter[bad key]=1', 'page[limit]=5'])
    .run(({ assert }, query) => {
      assert.throws(() => decodeLogQuery(query), 'A filter must name at least one label')
    })

  test('a page has 100 lines by default and at most', ({ assert }) => {
    const page = (query: string) => decodeLogQuery(`filter[a]=1&${query}`).pagination
    assert.deepEqual(page(''), { limit: 100, offset: 0 })
    assert.deepEqual(page('page[limit]=0'), { limit: 100, offset: 0 })
    assert.deepEqual(page('page[limit]=101&page[offset]=7'), { limit: 100, offset: 7 })
    assert.deepEqual(page('pagination[limit]=20'), { limit: 20, offset: 0 })
  })

  test('an offset above 100,000 is rejected with an alternative', ({ assert }) => {
    const requested = (offset: number) => () => decodeLogQuery(`filter[a]=1&page[offset]=${offset}`)
    assert.equal(requested(100_000)().pagination.offset, 100_000)
    assert.throws(requested(100_001), /at most 100000: ask by time instead, filter\[time\]=<=T/)
    const ofNode = 'filter[analysisId]=a&filter[nodeId]=n&page[offset]=100001'
    assert.throws(() => decodeLabelQuery(analysisNodeLog, ofNode, []), /sort=time/)
  })

  test('only conjunctions of equalities are accepted; {0} is rejected by name')
    .with([
      ['filter[a]=!1', 'ne'],
      ['filter[a]=1,2', 'in'],
      ['filter[a]=~1~', 'contains'],
      ['filter[a]=<1', 'lt'],
      ["filter=or(eq(a,'1'),eq(b,'2'))", 'or'],
      ["filter=and(eq(a,'1'),not(and(eq(b,'2'))))", 'not'],
    ] as [string, string][])
    .run(({ assert }, [query, operator]) => {
      assert.throws(
        () => labels(query),
        `Unsupported filter operator for logs: ${operator}. Use equality only`
      )
    })

  test('one label with two values is refused, and with one value twice is fine', ({ assert }) => {
    assert.throws(() => labels("filter=and(eq(a,'1'),eq(a,'2'))"), /two values/)
    assert.deepEqual(labels("filter=and(eq(a,'1'),eq(a,'1'))"), { a: '1' })
  })

  test('a kind in the log store requires its labels', ({ assert }) => {
    const read = (query: string) =>
      decodeLabelQuery(analysisNodeLog, query, ['analysisId', 'nodeId'])
    assert.throws(() => read('filter[analysisId]=a'), 'A filter must name nodeId')
    assert.throws(() => read(''), 'A filter must name analysisId and nodeId')
    assert.deepEqual(read('filter[analysisId]=a&filter[nodeId]=n&filter[bogus]=1').labels, {
      analysisId: 'a',
      nodeId: 'n',
    })
  })

  test('a deletion accepts the labels of a list and nothing else: {0}')
    .with([
      'filter[run]=X&filter[__proto__]=1',
      'filter[run]=X&Filter[level]=debug',
      'filter[run]=X&filters[level]=debug',
      'filter[run]=X&page[limit]=10',
      'filter[run]=X&sort=time',
      `filter[run]=X&${'x=1&'.repeat(2_000)}`,
      `filter[run]=X&${'filter[run]=X&'.repeat(1_000)}filter[level]=debug`,
    ])
    .run(({ assert }, query) => {
      assert.throws(() => decodeLogDeletion(query), QueryError)
    })

  test('a deletion names the parameter that it rejects', ({ assert }) => {
    assert.throws(
      () => decodeLogDeletion('filter[run]=X&page[limit]=10'),
      'A deletion takes a filter and nothing else: leave out "page[limit]"'
    )
    const { filters } = decodeLogDeletion('filter[run]=X&filter[constructor]=c3')
    assert.deepEqual(labelsOf(filters), { run: 'X', constructor: 'c3' })
  })

  test('a deletion of a kind’s lines is rejected where a list would drop a key: {0}')
    .with([
      'filter[bogus]=1',
      'filter[constructor]=1',
      'filter[level]=',
      'page[limit]=10',
      'lvl=debug',
    ])
    .run(({ assert }, also) => {
      const query = 'filter[analysisId]=a&filter[nodeId]=n'
      const required = ['analysisId', 'nodeId']
      assert.deepEqual(decodeLabelDeletion(analysisNodeLog, query, required).labels, {
        analysisId: 'a',
        nodeId: 'n',
      })
      assert.throws(
        () => decodeLabelDeletion(analysisNodeLog, `${query}&${also}`, required),
        QueryError
      )
    })

  test('a server condition is not a label', ({ assert }) => {
    const condition: Condition = { kind: 'sql', write: () => 'true', columns: [] }
    assert.throws(() => labelsOf(condition), QueryError)
  })
})
