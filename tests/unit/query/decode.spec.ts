import { test } from '@japa/runner'

import { decode } from '#query/decode'
import type { Vocabulary } from '#query/declaration'
import { type QueryError } from '#query/errors'

import { specimen } from './specimens.js'
import { conditionForm } from './vector_form.js'
import { seedSchemas, vocabulariesOf } from './vocabularies.js'

const vocabularies = vocabulariesOf(seedSchemas())
const node = vocabularies.get('node')!
const analysis = vocabularies.get('analysis')!

function filters(vocabulary: Vocabulary, query: string): unknown {
  return conditionForm(decode(vocabulary, query).filters)
}

function codes(query: string, vocabulary = node): string[] {
  try {
    decode(vocabulary, query)
    return []
  } catch (error) {
    return (error as QueryError).issues.map(({ code, meta }) => `${meta.parameter} ${code}`)
  }
}

/** The CPU time of this thread, so that the load of the machine does not count. The shortest of three runs. */
function milliseconds(run: () => unknown): number {
  const runs = [1, 2, 3].map(() => {
    const before = process.threadCpuUsage()
    run()
    const { user, system } = process.threadCpuUsage(before)
    return (user + system) / 1000
  })
  return Math.min(...runs)
}

test.group('Decoding of queries', () => {
  test('the source text is preserved beside the value', ({ assert }) => {
    const [leaf] = decode(node, 'filter[name]=007').filters.conditions
    assert.deepInclude(leaf, { literals: [{ value: 7, text: '007' }] })
  })

  test('all issues are reported at once, by parameter, and the message counts them', ({
    assert,
  }) => {
    const query = 'sort=prototype&filter=eq(bogus,%271%27)&fields=a.__proto__&include=constructor'
    assert.deepEqual(codes(query), [
      'relations inputInvalid',
      'fields inputInvalid',
      'filters keyNotAllowed',
      'sorts inputInvalid',
    ])
    assert.throws(() => decode(node, query), '4 violations')
    assert.throws(() => decode(node, 'codec=other'), '1 violation')
  })

  test('a key with the name of its kind in front wins over the bare key, in either order', ({
    assert,
  }) => {
    const wanted = { and: [{ op: 'eq', field: 'name', value: 'b' }] }
    assert.deepEqual(filters(node, 'filter[name]=a&filter[node.name]=b'), wanted)
    assert.deepEqual(filters(node, 'filter[node.name]=b&filter[name]=a'), wanted)
  })

  test('a position in front of a key is ignored', ({ assert }) => {
    assert.deepEqual(filters(node, 'filter[0:name]=a'), filters(node, 'filter[name]=a'))
  })

  test('a relation that exists can be filtered by, also where it cannot be included', ({
    assert,
  }) => {
    assert.deepEqual(filters(analysis, 'filter[registry.name]=a'), {
      and: [{ op: 'eq', field: 'registry.name', value: 'a' }],
    })
    assert.deepEqual(codes("filter=eq(registry.name,'a')&include=project", analysis), [
      'filters keyPathNotAllowed',
    ])
  })

  test('a secret can neither be filtered nor sorted by, even where a list names it', ({
    assert,
  }) => {
    const careless = {
      ...specimen,
      filters: { allowed: ['token', 'label'] },
      sorts: { allowed: ['token', 'label'] },
    }
    assert.deepEqual(filters(careless, 'filter[token]=a~'), { and: [] })
    assert.deepEqual(codes("filter=startsWith(token,'a')", careless), ['filters keyNotAllowed'])
    assert.deepEqual(codes("filter=eq(parent.token,'a')", specimen), ['filters keyNotAllowed'])
    assert.lengthOf(decode(careless, 'sort=token').sorts, 0)
  })

  test('page takes precedence over pagination', ({ assert }) => {
    const read = (query: string) => decode(node, query).pagination
    assert.deepEqual(read('page[limit]=5&pagination[limit]=9'), { limit: 5, offset: 0 })
    assert.deepEqual(read('pagination[limit]=9&page[offset]=3'), { limit: 9, offset: 3 })
  })

  test('a filter on a record is ignored, but its codec is checked', ({ assert }) => {
    assert.deepEqual(decode(node, 'filter=((&sort=__proto__', 'record').filters.conditions, [])
    assert.throws(() => decode(node, 'codec=other', 'record'))
  })

  test('equal queries share one result, and equal choices one selection', ({ assert }) => {
    const query = 'filter[name]=shared&include=registry'
    assert.strictEqual(decode(node, query), decode(node, query))
    assert.strictEqual(
      decode(node, 'include=registry&page[limit]=3').selection,
      decode(node, 'page[limit]=4&include=registry').selection
    )
    assert.notStrictEqual(
      decode(node, 'include=registry').selection,
      decode(node, 'include=registry&fields=id').selection
    )
  })

  test('dropped keys are reported again for a repeated query', ({ assert }) => {
    const dropped = () => decode(node, 'fields=id,nope&include=bogus').dropped.map(({ key }) => key)
    assert.deepEqual(dropped(), ['bogus', 'nope'])
    assert.deepEqual(dropped(), ['bogus', 'nope'])
  })

  test('names that mean something to an object are only names where any name is accepted', ({
    assert,
  }) => {
    const loose: Vocabulary = { name: 'loose', strict: false }
    assert.deepEqual(filters(loose, "filter=eq(constructor,'a')"), {
      and: [{ op: 'eq', field: 'constructor', value: 'a' }],
    })
  })

  test('a megabyte of {text} is answered within {limit} milliseconds')
    .with([
      ...['(', '[', '((', '[[', 'and(', '[]'].map((text) => ({ text, limit: 50 })),
      ...["'", 'not(', '!', '~', '.', ',', '%', '&', '='].map((text) => ({ text, limit: 400 })),
    ])
    .run(({ assert }, { text, limit }) => {
      const flood = text.repeat(1_000_000 / text.length)
      for (const start of ['', 'filter=', 'filter[', 'filter[name]', 'filter[name]=', 'sort=']) {
        const taken = milliseconds(() => codes(`${start}${flood}`))
        assert.isBelow(taken, limit, `${start}${text}`)
      }
    })
})
