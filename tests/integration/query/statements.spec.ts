import { test } from '@japa/runner'

import { where } from '#query/condition'
import { decode } from '#query/decode'
import { compileDelete, UnconditionalDelete } from '#query/sql/delete_statement'
import { compileList } from '#query/sql/list_statement'
import { compileRecord } from '#query/sql/record_statement'

import { AMOUNT, registry, registryId, Scene, textOf } from './scene.js'
import { specimen, specimenId, specimenRows } from '#tests/unit/query/specimens'

let scene: Scene

test.group('SQL statements of queries', (group) => {
  group.setup(async () => {
    scene = await Scene.open()
    return () => scene.sandbox.close()
  })

  test('the number of values does not change a statement', ({ assert }) => {
    const [few, many] = ['a,b', 'a,b,c,d,e,f'].map((values) =>
      compileList(specimen, decode(specimen, `filter[label]=${values}`))
    )
    assert.strictEqual(few!.text, many!.text)
    assert.strictEqual(few!.name, many!.name)
    assert.notStrictEqual(few!.name, compileList(specimen, decode(specimen, '')).name)
    assert.match(few!.name, /^q_[\w-]{22}$/)
  })

  test('no value of a client is ever part of a statement', ({ assert }) => {
    const query =
      "filter=or(eq(label,'%27%27;drop'),in(id,'x'),contains(label,'%22--'))&page[offset]=77"
    assert.notMatch(textOf(query), /drop|--|77/)
  })

  test('equality on text can be served by an index on the lower-cased column', ({ assert }) => {
    assert.include(textOf('filter[label]=A'), 'lower(r."label") = lower($1::text)')
    assert.include(textOf('filter[label]=a,b'), 'lower(r."label") = any(')
  })

  test('text is sorted by its bytes, whatever the database was set up with', ({ assert }) => {
    assert.include(textOf('sort=label'), 'order by r."label" collate "C" asc, r."id" asc')
  })

  test('a table is joined only where it is filtered or sorted by, and once', ({ assert }) => {
    const joins = (query: string) => textOf(query).match(/left join/g)?.length ?? 0
    assert.strictEqual(joins('include=parent'), 0)
    assert.strictEqual(joins('filter[parent.label]=a&filter[parent.count]=1'), 2, 'page and count')
    assert.strictEqual(joins('sort=parent.label'), 1, 'the count does not need the order')
  })

  test('a query that does not depend on the caller is compiled once', ({ assert }) => {
    const query = decode(specimen, 'filter[label]=a')
    const reveal = () => true
    assert.strictEqual(compileList(specimen, query), compileList(specimen, query, { reveal }))
  })

  test('pages in any order show each record once', async ({ assert }) => {
    for (const sort of [
      '',
      '&sort=label',
      '&sort=-count',
      '&sort=parent.label',
      '&sort=children',
    ]) {
      const seen: unknown[] = []
      for (const offset of [0, 50, 100]) {
        const page = await scene.list(`fields=id&page[offset]=${offset}${sort}`)
        assert.strictEqual(page.total, AMOUNT)
        seen.push(...page.rows.map(({ id }) => id))
      }
      assert.lengthOf(seen, AMOUNT)
      assert.lengthOf(new Set(seen), AMOUNT, sort)
    }
  })

  test('NULL comes last ascending and first descending', async ({ assert }) => {
    const flags = async (sort: string) => {
      const { rows } = await scene.list(`fields=count&sort=${sort}&page[limit]=50`)
      return rows.map(({ count }) => count === null)
    }
    const [first] = await flags('count')
    const [firstDescending] = await flags('-count')
    assert.isFalse(first)
    assert.isTrue(firstDescending)
  })

  test('the total counts all that match, on a full page, a short one and one past the end', async ({
    assert,
  }) => {
    const expected = specimenRows(AMOUNT).filter(({ flag }) => flag === true).length
    for (const page of [
      '',
      'page[limit]=1',
      'page[offset]=30',
      'page[offset]=100000',
      'page[limit]=7&page[offset]=7',
    ]) {
      assert.strictEqual(await scene.total(`filter[flag]=true&${page}`), expected, page)
    }
    assert.strictEqual(await scene.total('filter[label]=nothing'), 0)
  })

  test('an offset no table has is an empty page: {0}')
    .with(['9007199254740993', '99999999999999999999', '9'.repeat(400)])
    .run(async ({ assert }, offset) => {
      assert.deepEqual(await scene.list(`page[offset]=${offset}`), { rows: [], total: AMOUNT })
    })

  test('a row is shown even where nothing of it is left to show', async ({ assert }) => {
    const { rows } = await scene.list('fields=token&page[limit]=2')
    assert.deepEqual(rows, [{}, {}])
    const counts = await scene.list('fields=count')
    assert.lengthOf(counts.rows, 50)
  })

  test('columns of every type are written as JSON', async ({ assert }) => {
    const row = await scene.read(
      specimenId(19),
      'fields=%2Bbytes,%2Bratio,%2Bdocument,%2Bserialized'
    )
    assert.deepEqual(row, {
      id: specimenId(19),
      label: 'a\\b',
      flag: false,
      count: 1,
      seenAt: '2024-01-05T00:00:00.000Z',
      parentId: specimenId(9),
      children: 1,
      bytes: 9007199254740994,
      ratio: 0.75,
      document: { number: 19 },
      serialized: { number: 19 },
    })
    assert.deepEqual(await scene.read(specimenId(20), 'fields=document,serialized'), {
      document: null,
      serialized: null,
    })
  })

  test('a relation is an object with its key, or null, at any depth', async ({ assert }) => {
    const query = 'fields[specimen]=id&fields[parent]=count&include=parent'
    assert.deepEqual(await scene.read(specimenId(5), query), {
      id: specimenId(5),
      parent: { id: specimenId(2), count: 2 },
    })
    assert.deepEqual(await scene.read(specimenId(6), 'fields=id&include=parent'), {
      id: specimenId(6),
      parent: null,
    })
    const deep = await scene.read(specimenId(11), 'fields=id,parent.label,parent.parent.label')
    assert.deepEqual(deep, {
      id: specimenId(11),
      parent: { label: "it's", parent: { label: 'ALPHABET' } },
    })
  })

  test('a record that is malformed, missing or hidden from the caller is not read', async ({
    assert,
  }) => {
    assert.isUndefined(await scene.read('malformed'))
    assert.isUndefined(await scene.read(` ${specimenId(1)}`))
    assert.isUndefined(await scene.read(specimenId(500)))
    assert.isUndefined(await scene.read(specimenId(1), '', { where: [where.eq('note', 'even')] }))
    assert.exists(await scene.read(specimenId(1), '', { where: [where.eq('note', 'odd')] }))
  })

  test('a record can be looked up by another key', async ({ assert }) => {
    const { selection } = decode(registry, 'fields=id', 'record')
    const statement = compileRecord(registry, 'STORE', selection, { key: 'name' })
    assert.deepEqual(await scene.sandbox.run(statement!), [{ data: `{"id":"${registryId}"}` }])
  })

  test('the values of one lookup do not reach the next', async ({ assert }) => {
    const { selection } = decode(specimen, 'fields=id,label', 'record')
    const [first, second] = [1, 2].map((id) => compileRecord(specimen, specimenId(id), selection)!)
    assert.deepEqual(first!.values, [specimenId(1)])
    assert.deepEqual(second!.values, [specimenId(2)])
    assert.strictEqual(first!.text, second!.text)
  })

  test('a delete removes exactly what the list with the same filter shows', async ({ assert }) => {
    const options = { where: [where.eq('note', 'odd')] }
    await scene.sandbox.undone(async () => {
      for (const query of ['filter[label]=!alpha,7', 'filter[parent.flag]=!true']) {
        const decoded = decode(specimen, query, 'filtersOnly')
        const listed = await scene.total(query, options)
        const { rowCount } = await scene.sandbox.execute(
          compileDelete(specimen, decoded, options.where)
        )
        assert.isAbove(listed, 0)
        assert.strictEqual(rowCount, listed)
        assert.strictEqual(await scene.total(query, options), 0)
      }
    })
    assert.strictEqual(await scene.total(''), AMOUNT)
  })

  test('a delete without any condition is refused', ({ assert }) => {
    for (const query of ['', 'filter[bogus]=1', 'filter=nin(id)']) {
      const decoded = decode(specimen, query, 'filtersOnly')
      assert.throws(() => compileDelete(specimen, decoded), UnconditionalDelete)
    }
  })
})
