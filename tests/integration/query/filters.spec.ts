import { test } from '@japa/runner'

import { where, type Condition } from '#query/condition'
import { QueryError } from '#query/errors'

import { AMOUNT, Scene, textOf } from './scene.js'
import { specimenId, specimenRows } from '#tests/unit/query/specimens'

let scene: Scene

test.group('Filters on the database', (group) => {
  group.setup(async () => {
    scene = await Scene.open()
    return () => scene.sandbox.close()
  })

  test('a value that no row can have matches nothing, and its negation everything: {0} {1}')
    .with(
      Object.entries({
        id: ['x', '7', 'true', specimenId(1).slice(1), `${specimenId(1)}0`],
        flag: ['maybe', '2', 'o', 'null!'],
        count: [
          'x',
          '1.5',
          'true',
          'NaN',
          'Infinity',
          '9223372036854775808',
          '1e400',
          '0x1ffffffffffffffff',
        ],
        bytes: ['99999999999999999999', '-9223372036854775809', 'x'],
        ratio: ['x', 'true', '1_000'],
        seenAt: [
          'yesterday',
          '2024',
          '2024-02-30',
          '2024-13-01',
          '0000-01-01',
          '2024-01-01T25:00',
          '5',
        ],
        parentId: ['{}', "'"],
        label: ['nobody'],
        children: ['many'],
      }).flatMap(([key, values]) => values.map((value): [string, string] => [key, value]))
    )
    .run(async ({ assert }, [key, value]) => {
      const text = encodeURIComponent(value)
      assert.strictEqual(await scene.total(`filter[${key}]=${text}`), 0, 'equal')
      assert.strictEqual(await scene.total(`filter[${key}]=!${text}`), AMOUNT, 'not equal')
      assert.strictEqual(await scene.total(`filter[${key}][]=${text}`), 0, 'one of')
      assert.strictEqual(await scene.total(`filter[${key}][]=!${text}`), AMOUNT, 'none of')
      assert.isAtLeast(await scene.total(`filter[${key}]=<${text}`), 0, 'less')
      assert.isAtLeast(await scene.total(`filter[${key}]=>=${text}`), 0, 'more')
    })

  test('a zero byte, which no text can hold, matches nothing', async ({ assert }) => {
    for (const value of ['a%00', '~%00~', '%00~', 'a%00,b%00', '<=%00']) {
      assert.strictEqual(await scene.total(`filter[label]=${value}`), 0, value)
    }
    assert.strictEqual(await scene.total('filter[label]=!~%00~'), AMOUNT)
    assert.strictEqual(await scene.total('filter[label]=!a%00,b%00'), AMOUNT)
    assert.strictEqual(await scene.total('filter[%00]=a&sort=%00&fields=%00&include=%00'), AMOUNT)
  })

  test('text is matched case-insensitively', async ({ assert }) => {
    const labels = async (query: string) => {
      const { rows } = await scene.list(`${query}&fields=label`)
      return [...new Set(rows.map(({ label }) => label))].sort()
    }
    assert.deepEqual(await labels('filter[label]=007'), ['007'])
    assert.deepEqual(await labels('filter[label]=7,007'), ['007', '7'])
    assert.deepEqual(await labels('filter[label]=TRUE'), ['true'])
    assert.deepEqual(await labels('filter[label]=ALPHA'), ['Alpha', 'alpha'])
    assert.deepEqual(await labels('filter[label]=ALPHA,ALPHAbet'), ['ALPHABET', 'Alpha', 'alpha'])
    assert.deepEqual(await labels('filter[label]=ALPHA~'), ['ALPHABET', 'Alpha', 'alpha'])
    assert.deepEqual(await labels('filter[label]=~%25~'), ['50%'])
    assert.deepEqual(await labels('filter[label]=~_~'), ['a_b'])
    assert.deepEqual(await labels('filter[label]=~%5C~'), ['a\\b'])
    assert.deepEqual(await labels("filter=eq(label,'it''s')"), ["it's"])
    assert.deepEqual(await labels("filter=eq(label,'')"), [''])
  })

  test('numbers are compared with all their digits', async ({ assert }) => {
    const expected = specimenRows(AMOUNT).filter((row) => row.bytes === '9007199254740993').length
    assert.strictEqual(await scene.total('filter[bytes]=9007199254740993'), expected)
    assert.strictEqual(await scene.total('filter[bytes]=+9007199254740993'), expected)
    assert.strictEqual(await scene.total("filter=gt(bytes,'9007199254740995')"), 0)
    assert.strictEqual(
      await scene.total('filter[count]=<1.5'),
      await scene.total('filter[count]=0,1')
    )
    assert.strictEqual(
      await scene.total('filter[count]=<Infinity'),
      await scene.total('filter[count]=!null')
    )
    assert.strictEqual(
      await scene.total('filter[count]=1e0'),
      await scene.total('filter[count]=0x1')
    )
  })

  test('a time is read with or without an offset, and as UTC without', async ({ assert }) => {
    const day = await scene.total('filter[seenAt]=2024-01-02')
    assert.isAbove(day, 0)
    for (const text of [
      '2024-01-02T00:00',
      '2024-01-02T00:00:00.000Z',
      '2024-01-02 01:00:00%2B01:00',
      '2024-01-01T22:30-01:30',
    ]) {
      assert.strictEqual(await scene.total(`filter[seenAt]=${text}`), day, text)
    }
  })

  test('booleans are read as the database reads them', async ({ assert }) => {
    const yes = await scene.total('filter[flag]=true')
    for (const text of ['1', 'yes', 'T', 'on', '1.0']) {
      assert.strictEqual(await scene.total(`filter[flag]=${text}`), yes, text)
    }
    assert.strictEqual(
      await scene.total('filter[flag]=off,no,0'),
      await scene.total('filter[flag]=false')
    )
  })

  test('an operator that a column does not support is rejected: {0}')
    .with([
      'filter[id]=~a~',
      'filter[flag]=t~',
      'filter[count]=~1',
      'filter[seenAt]=2024~',
      'filter[document]=x',
      'filter[document]=<x',
      "filter=not(contains(ratio,'1'))",
      "filter=size(label,'3')",
      "filter=elemMatch(label,eq($this,'a'))",
      "filter=startsWith(parent.id,'0')",
    ])
    .run(({ assert }, query) => {
      const error = (() => {
        try {
          textOf(query)
        } catch (thrown) {
          return thrown as QueryError
        }
      })()
      assert.instanceOf(error, QueryError)
      assert.deepEqual(
        error!.issues.map(({ code, meta }) => [code, meta.parameter]),
        [['operatorUnsupported', 'filters']]
      )
      assert.deepEqual(error!.issues[0]!.path.join('.'), error!.issues[0]!.meta.key)
    })

  test('a document can be tested for null', async ({ assert }) => {
    assert.strictEqual(await scene.total('filter[document]=null'), AMOUNT / 2)
    assert.strictEqual(await scene.total('filter[document]=!null'), AMOUNT / 2)
    assert.strictEqual(await scene.total('filter[document]=,'), 0)
  })

  test('computed values are filtered by and shown like stored ones', async ({ assert }) => {
    const { rows } = await scene.list('filter[children]=>=2&fields=id,children')
    assert.isNotEmpty(rows)
    assert.isTrue(rows.every(({ children }) => (children as number) >= 2))
  })

  test('a record without the relation counts for a negation through it', async ({ assert }) => {
    const matching = await scene.total('filter[parent.label]=alpha')
    assert.strictEqual(await scene.total('filter[parent.label]=!alpha'), AMOUNT - matching)
    assert.strictEqual(
      await scene.total('filter[parent.label]=!~lph~'),
      AMOUNT - (await scene.total('filter[parent.label]=~lph~'))
    )
  })

  test('server conditions apply in addition to those of the client, in rows and total', async ({
    assert,
  }) => {
    const orphansAnd = where.or(where.in('parentId', [specimenId(1)]), where.eq('parentId', null))
    const options = { where: [orphansAnd] }
    const expected = specimenRows(AMOUNT).filter(
      ({ parentId }) => parentId === null || parentId === specimenId(1)
    )
    assert.strictEqual(await scene.total('', options), expected.length)
    assert.strictEqual(
      await scene.total("filter=or(eq(flag,'true'),not(eq(flag,'true')))", options),
      expected.length
    )
    assert.strictEqual(
      await scene.total('filter[note]=odd', options),
      expected.length,
      'not a key of the client'
    )
  })

  test('the server can filter by internal columns, through relations and with SQL', async ({
    assert,
  }) => {
    const condition = (each: Condition) => scene.total('', { where: [each] })
    assert.strictEqual(await condition(where.eq('note', 'odd')), AMOUNT / 2)
    assert.strictEqual(await condition(where.not(where.eq('note', 'odd'))), AMOUNT / 2)
    assert.strictEqual(
      await condition(where.eq('parent.id', specimenId(2))),
      await scene.total(`filter[parentId]=${specimenId(2)}`)
    )
    const even = where.sql((row, bind) => `${row}.note = ${bind('even')}`)
    assert.strictEqual(await condition(even), AMOUNT / 2)
    assert.strictEqual(await condition(where.and(even, where.not(even))), 0)
    assert.strictEqual(await condition(where.in('id', [])), 0)
  })
})
