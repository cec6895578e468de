import { test } from '@japa/runner'

import { where, type Condition } from '#query/condition'
import type { Declaration } from '#query/declaration'
import { decode } from '#query/decode'
import { QueryError } from '#query/errors'
import { compileDelete, UnconditionalDelete } from '#query/sql/delete_statement'
import { compileList, type ListRow, type ReadOptions } from '#query/sql/list_statement'
import { compileRecord, type RecordRow } from '#query/sql/record_statement'

import { storedDeclarations } from './declarations.js'
import { Sandbox } from './sandbox.js'
import { specimen, specimenId, specimenRows } from './specimens.js'

type Row = Record<string, unknown>

const AMOUNT = 120
const declarations = storedDeclarations()
const { node, registry, registryProject } = declarations
let sandbox: Sandbox

function textOf(query: string, options?: ReadOptions, declaration = specimen): string {
  return compileList(declaration, decode(declaration, query), options).text
}

async function list(
  query: string,
  options?: ReadOptions,
  declaration: Declaration = specimen
): Promise<{ rows: Row[]; total: number }> {
  const [row] = await sandbox.run<ListRow>(
    compileList(declaration, decode(declaration, query), options)
  )
  return { rows: JSON.parse(row!.data), total: row!.total }
}

async function total(query: string, options?: ReadOptions): Promise<number> {
  const page = await list(query, options)
  return page.total
}

async function read(
  id: string,
  query = '',
  options?: ReadOptions,
  declaration: Declaration = specimen
): Promise<Row | undefined> {
  const { selection } = decode(declaration, query, 'record')
  const statement = compileRecord(declaration, id, selection, options)
  const [row] = statement ? await sandbox.run<RecordRow>(statement) : []
  return row && JSON.parse(row.data)
}

const owner = specimenId(900)
const [registryId, projectId, otherProjectId] = [901, 902, 903].map(specimenId)

async function fill(): Promise<void> {
  await sandbox.insert(specimen, specimenRows(AMOUNT))
  await sandbox.insert(registry, [{ id: registryId, name: 'store', accountSecret: 'secret-store' }])
  await sandbox.insert(registryProject, [
    { id: projectId, name: 'mine', registryId, accountSecret: 'secret-mine' },
    { id: otherProjectId, name: 'theirs', registryId, accountSecret: 'secret-theirs' },
  ])
  await sandbox.insert(node, [
    { id: specimenId(1), name: 'a', clientId: owner, registryId, registryProjectId: projectId },
    { id: specimenId(2), name: 'b', registryId, registryProjectId: otherProjectId },
  ])
}

test.group('Statements', (group) => {
  group.setup(async () => {
    sandbox = await Sandbox.open([specimen, ...Object.values(declarations)])
    await fill()
    return () => sandbox.close()
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

  test('a query that does not depend on who asks is compiled once', ({ assert }) => {
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
        const page = await list(`fields=id&page[offset]=${offset}${sort}`)
        assert.strictEqual(page.total, AMOUNT)
        seen.push(...page.rows.map(({ id }) => id))
      }
      assert.lengthOf(seen, AMOUNT)
      assert.lengthOf(new Set(seen), AMOUNT, sort)
    }
  })

  test('NULL comes last ascending and first descending', async ({ assert }) => {
    const flags = async (sort: string) => {
      const { rows } = await list(`fields=count&sort=${sort}&page[limit]=50`)
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
      assert.strictEqual(await total(`filter[flag]=true&${page}`), expected, page)
    }
    assert.strictEqual(await total('filter[label]=nothing'), 0)
  })

  test('an offset no table has is an empty page: {0}')
    .with(['9007199254740993', '99999999999999999999', '9'.repeat(400)])
    .run(async ({ assert }, offset) => {
      assert.deepEqual(await list(`page[offset]=${offset}`), { rows: [], total: AMOUNT })
    })

  test('a row is shown even where nothing of it is left to show', async ({ assert }) => {
    const { rows } = await list('fields=token&page[limit]=2')
    assert.deepEqual(rows, [{}, {}])
    const counts = await list('fields=count')
    assert.lengthOf(counts.rows, 50)
  })

  test('columns of every type are written as JSON', async ({ assert }) => {
    const row = await read(specimenId(19), 'fields=%2Bbytes,%2Bratio,%2Bdocument,%2Bserialized')
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
    assert.deepEqual(await read(specimenId(20), 'fields=document,serialized'), {
      document: null,
      serialized: null,
    })
  })

  test('a relation is an object with its key, or null, at any depth', async ({ assert }) => {
    const query = 'fields[specimen]=id&fields[parent]=count&include=parent'
    assert.deepEqual(await read(specimenId(5), query), {
      id: specimenId(5),
      parent: { id: specimenId(2), count: 2 },
    })
    assert.deepEqual(await read(specimenId(6), 'fields=id&include=parent'), {
      id: specimenId(6),
      parent: null,
    })
    const deep = await read(specimenId(11), 'fields=id,parent.label,parent.parent.label')
    assert.deepEqual(deep, {
      id: specimenId(11),
      parent: { label: "it's", parent: { label: 'ALPHABET' } },
    })
  })

  test('a record that cannot be, is not there, or is kept from the caller is not read', async ({
    assert,
  }) => {
    assert.isUndefined(await read('malformed'))
    assert.isUndefined(await read(` ${specimenId(1)}`))
    assert.isUndefined(await read(specimenId(500)))
    assert.isUndefined(await read(specimenId(1), '', { where: [where.eq('note', 'even')] }))
    assert.exists(await read(specimenId(1), '', { where: [where.eq('note', 'odd')] }))
  })

  test('a record can be looked up by another key', async ({ assert }) => {
    const { selection } = decode(registry, 'fields=id', 'record')
    const statement = compileRecord(registry, 'STORE', selection, { key: 'name' })
    assert.deepEqual(await sandbox.run(statement!), [{ data: `{"id":"${registryId}"}` }])
  })

  test('the values of one lookup do not reach the next', async ({ assert }) => {
    const { selection } = decode(specimen, 'fields=id,label', 'record')
    const [first, second] = [1, 2].map((id) => compileRecord(specimen, specimenId(id), selection)!)
    assert.deepEqual(first!.values, [specimenId(1)])
    assert.deepEqual(second!.values, [specimenId(2)])
    assert.strictEqual(first!.text, second!.text)
  })
})

test.group('Filters on the database', (group) => {
  group.setup(async () => {
    sandbox = await Sandbox.open([specimen, ...Object.values(declarations)])
    await fill()
    return () => sandbox.close()
  })

  const all = AMOUNT

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
      assert.strictEqual(await total(`filter[${key}]=${text}`), 0, 'equal')
      assert.strictEqual(await total(`filter[${key}]=!${text}`), all, 'not equal')
      assert.strictEqual(await total(`filter[${key}][]=${text}`), 0, 'one of')
      assert.strictEqual(await total(`filter[${key}][]=!${text}`), all, 'none of')
      assert.isAtLeast(await total(`filter[${key}]=<${text}`), 0, 'less')
      assert.isAtLeast(await total(`filter[${key}]=>=${text}`), 0, 'more')
    })

  test('a zero byte, which no text can hold, matches nothing', async ({ assert }) => {
    for (const value of ['a%00', '~%00~', '%00~', 'a%00,b%00', '<=%00']) {
      assert.strictEqual(await total(`filter[label]=${value}`), 0, value)
    }
    assert.strictEqual(await total('filter[label]=!~%00~'), all)
    assert.strictEqual(await total('filter[label]=!a%00,b%00'), all)
    assert.strictEqual(await total('filter[%00]=a&sort=%00&fields=%00&include=%00'), all)
  })

  test('text is found by the way it is spelled, in any case', async ({ assert }) => {
    const labels = async (query: string) => {
      const { rows } = await list(`${query}&fields=label`)
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
    assert.strictEqual(await total('filter[bytes]=9007199254740993'), expected)
    assert.strictEqual(await total('filter[bytes]=+9007199254740993'), expected)
    assert.strictEqual(await total("filter=gt(bytes,'9007199254740995')"), 0)
    assert.strictEqual(await total('filter[count]=<1.5'), await total('filter[count]=0,1'))
    assert.strictEqual(await total('filter[count]=<Infinity'), await total('filter[count]=!null'))
    assert.strictEqual(await total('filter[count]=1e0'), await total('filter[count]=0x1'))
  })

  test('a time is read with or without an offset, and as UTC without', async ({ assert }) => {
    const day = await total('filter[seenAt]=2024-01-02')
    assert.isAbove(day, 0)
    for (const text of [
      '2024-01-02T00:00',
      '2024-01-02T00:00:00.000Z',
      '2024-01-02 01:00:00%2B01:00',
      '2024-01-01T22:30-01:30',
    ]) {
      assert.strictEqual(await total(`filter[seenAt]=${text}`), day, text)
    }
  })

  test('booleans are read as the database reads them', async ({ assert }) => {
    const yes = await total('filter[flag]=true')
    for (const text of ['1', 'yes', 'T', 'on', '1.0']) {
      assert.strictEqual(await total(`filter[flag]=${text}`), yes, text)
    }
    assert.strictEqual(await total('filter[flag]=off,no,0'), await total('filter[flag]=false'))
  })

  test('an operator that means nothing to a column is refused: {0}')
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

  test('a document can be asked whether it is there', async ({ assert }) => {
    assert.strictEqual(await total('filter[document]=null'), AMOUNT / 2)
    assert.strictEqual(await total('filter[document]=!null'), AMOUNT / 2)
    assert.strictEqual(await total('filter[document]=,'), 0)
  })

  test('computed values are filtered by and shown like stored ones', async ({ assert }) => {
    const { rows } = await list('filter[children]=>=2&fields=id,children')
    assert.isNotEmpty(rows)
    assert.isTrue(rows.every(({ children }) => (children as number) >= 2))
  })

  test('a record without the relation counts for a negation through it', async ({ assert }) => {
    const matching = await total('filter[parent.label]=alpha')
    assert.strictEqual(await total('filter[parent.label]=!alpha'), AMOUNT - matching)
    assert.strictEqual(
      await total('filter[parent.label]=!~lph~'),
      AMOUNT - (await total('filter[parent.label]=~lph~'))
    )
  })

  test('conditions of the server hold beside those of the client, in rows and total', async ({
    assert,
  }) => {
    const orphansAnd = where.or(where.in('parentId', [specimenId(1)]), where.eq('parentId', null))
    const options = { where: [orphansAnd] }
    const expected = specimenRows(AMOUNT).filter(
      ({ parentId }) => parentId === null || parentId === specimenId(1)
    )
    assert.strictEqual(await total('', options), expected.length)
    assert.strictEqual(
      await total("filter=or(eq(flag,'true'),not(eq(flag,'true')))", options),
      expected.length
    )
    assert.strictEqual(
      await total('filter[note]=odd', options),
      expected.length,
      'not a key of the client'
    )
  })

  test('the server can filter by what no client sees, through relations and in its own words', async ({
    assert,
  }) => {
    const condition = (each: Condition) => total('', { where: [each] })
    assert.strictEqual(await condition(where.eq('note', 'odd')), AMOUNT / 2)
    assert.strictEqual(await condition(where.not(where.eq('note', 'odd'))), AMOUNT / 2)
    assert.strictEqual(
      await condition(where.eq('parent.id', specimenId(2))),
      await total(`filter[parentId]=${specimenId(2)}`)
    )
    const even = where.sql((row, bind) => `${row}.note = ${bind('even')}`)
    assert.strictEqual(await condition(even), AMOUNT / 2)
    assert.strictEqual(await condition(where.and(even, where.not(even))), 0)
    assert.strictEqual(await condition(where.in('id', [])), 0)
  })

  test('a delete removes exactly what the list with the same filter shows', async ({ assert }) => {
    const options = { where: [where.eq('note', 'odd')] }
    await sandbox.undone(async () => {
      for (const query of ['filter[label]=!alpha,7', 'filter[parent.flag]=!true']) {
        const decoded = decode(specimen, query, 'filtersOnly')
        const listed = await total(query, options)
        const { rowCount } = await sandbox.execute(compileDelete(specimen, decoded, options.where))
        assert.isAbove(listed, 0)
        assert.strictEqual(rowCount, listed)
        assert.strictEqual(await total(query, options), 0)
      }
    })
    assert.strictEqual(await total(''), AMOUNT)
  })

  test('a delete without any condition is refused', ({ assert }) => {
    for (const query of ['', 'filter[bogus]=1', 'filter=nin(id)']) {
      const decoded = decode(specimen, query, 'filtersOnly')
      assert.throws(() => compileDelete(specimen, decoded), UnconditionalDelete)
    }
  })
})

test.group('Secrets', (group) => {
  group.setup(async () => {
    sandbox = await Sandbox.open([specimen, ...Object.values(declarations)])
    await fill()
    return () => sandbox.close()
  })

  const everywhere: [string, Declaration][] = [
    ['fields=accountSecret', registry],
    ['fields=%2BaccountSecret', registry],
    ['fields=registry.accountSecret', registry],
    ['fields[$root]=accountSecret', registry],
    ['include=registry&fields[registry]=%2BaccountSecret', node],
    ['fields[registry]=accountSecret', node],
    ['fields=registryProject.accountSecret,registryProject.registry.accountSecret', node],
    ['include=registryProject.registry&fields[registryProject][registry]=accountSecret', node],
    ['fields=accountSecret,registry.accountSecret', registryProject],
  ]

  test('a secret is left out wherever it is asked for: {0}')
    .with(everywhere)
    .run(async ({ assert }, [query, declaration]) => {
      const { rows } = await list(query, {}, declaration)
      assert.isNotEmpty(rows)
      assert.notMatch(JSON.stringify(rows), /accountSecret|secret-/)
      const single = await read((rows[0]!.id as string) ?? registryId, query, {}, declaration)
      assert.notMatch(JSON.stringify(single ?? null), /accountSecret|secret-/)
    })

  test('a secret is there for who may see it: {0}')
    .with(everywhere)
    .run(async ({ assert }, [query, declaration]) => {
      const { rows } = await list(query, { reveal: () => true }, declaration)
      assert.match(JSON.stringify(rows), /"accountSecret":"(secret-store|secret-mine)"/)
    })

  test('each kind decides for itself', async ({ assert }) => {
    const reveal = ({ name }: Declaration) => name === 'registry'
    const { rows } = await list(
      'fields=accountSecret,registry.accountSecret',
      { reveal },
      registryProject
    )
    assert.deepEqual(rows[0], { registry: { accountSecret: 'secret-store' } })
  })

  test('a secret can be shown on some rows only, at any depth', async ({ assert }) => {
    const mine = where.sql(
      (row, bind) =>
        `exists (select 1 from nodes m where m.registry_project_id = ${row}.id and m.client_id = ${bind(owner)})`,
      ['id']
    )
    const reveal = ({ name }: Declaration) => name === 'registryProject' && mine
    const projects = await list('fields=name,accountSecret', { reveal }, registryProject)
    assert.deepEqual(projects.rows, [
      { name: 'mine', accountSecret: 'secret-mine' },
      { name: 'theirs' },
    ])

    const nodes = await list('fields=name,registryProject.accountSecret', { reveal }, node)
    assert.deepEqual(nodes.rows, [
      { name: 'a', registryProject: { accountSecret: 'secret-mine' } },
      { name: 'b', registryProject: {} },
    ])
    assert.deepEqual(await read(projectId!, 'fields=accountSecret', { reveal }, registryProject), {
      accountSecret: 'secret-mine',
    })
  })

  test('nobody is asked where no secret is wanted', async ({ assert }) => {
    let asked = 0
    const reveal = () => ++asked > 0
    await list('include=registry,registryProject', { reveal }, node)
    assert.strictEqual(asked, 0)
  })
})
