import { test } from '@japa/runner'

import { describe } from '#query/describe'
import { readEndpointSchemas } from '#tests/helpers/vectors'

import { seedSchemas, vocabulariesOf } from './vocabularies.js'

const vocabularies = vocabulariesOf(seedSchemas())
const endpoints = Object.values(readEndpointSchemas()).flatMap((each) => Object.entries(each))

test.group('Description of a kind', () => {
  for (const [endpoint, { schema, kind, seed }] of endpoints) {
    test(`${endpoint} is described to the letter`, ({ assert }) => {
      const description = describe(vocabularies.get(schema)!)
      assert.strictEqual(JSON.stringify(description[kind]), JSON.stringify(seed))
    })
  }

  test('it is computed once, immutable, and available as text', ({ assert }) => {
    const node = vocabularies.get('node')!
    const description = describe(node)
    assert.strictEqual(describe(node), description)
    assert.isTrue(Object.isFrozen(description.collection.filters.allowed))
    assert.deepEqual(JSON.parse(description.collectionText), description.collection)
    assert.deepEqual(JSON.parse(description.recordText), description.record)
  })

  test('the sortable keys default to those of the default sort', ({ assert }) => {
    const { sorts } = describe({ name: 'kind', sorts: { default: { path: 'ASC' } } }).collection
    assert.deepEqual(sorts, { allowed: ['path'], default: { path: 'ASC' }, indexed: false })
  })
})
