import type { Assert } from '@japa/assert'
import { test } from '@japa/runner'

import { decode } from '#query/decode'
import { describe } from '#query/describe'
import type { Vocabulary } from '#query/declaration'
import { QueryError } from '#query/errors'
import { decodeLabelQuery, decodeLogQuery } from '#query/log_query'
import { compileList, type ListRow } from '#query/sql/list_statement'
import {
  readDecodeVectors,
  readExecuteVectors,
  testVectors,
  type DecodeVectors,
  type ExecuteVectors,
} from '#tests/helpers/vectors'

import { storedDeclarations } from '#tests/unit/query/declarations'
import { Sandbox } from '#tests/integration/query/sandbox'
import { conditionForm, vectorForm } from '#tests/unit/query/vector_form'
import { seedSchemas, vocabulariesOf, type WrittenSchema } from '#tests/unit/query/vocabularies'

type Expected = Record<string, unknown>
type Row = Record<string, unknown>

const LOG_ENDPOINTS: Record<string, { schema: string; required: string[] }> = {
  '/analysis-logs': { schema: 'analysisLog', required: ['analysisId'] },
  '/analysis-node-logs': { schema: 'analysisNodeLog', required: ['analysisId', 'nodeId'] },
}

testVectors(readDecodeVectors, defineDecodeCases)
testVectors(readExecuteVectors, defineExecuteCases)

function defineDecodeCases({ probes, cases, openLogCases, coreLogCases }: DecodeVectors): void {
  const probed = Object.entries(probes) as unknown as [string, WrittenSchema][]
  const vocabularies = vocabulariesOf(new Map([...seedSchemas(), ...probed]))

  test.group('Query cases: decoding', () => {
    for (const { id, schema, mode, query, expected } of cases) {
      test(id, ({ assert }) => {
        const vocabulary = vocabularies.get(schema)!
        const read = () => decode(vocabulary, query, mode)
        if (!expected.ok) {
          return assertRefused(assert, read, expected)
        }

        const wanted = filledIn(expected, vocabulary)
        const actual = vectorForm(read())
        const { filters } = actual
        assert.deepEqual(mode === 'filtersOnly' ? { filters } : actual, wanted as typeof actual)
      })
    }
  })

  test.group('Query cases: logs of any label', () => {
    for (const { id, query, expected } of openLogCases) {
      test(id, ({ assert }) => {
        const read = () => decodeLogQuery(query)
        if (!expected.ok) {
          return assertRefused(assert, read, expected)
        }

        const { filters, pagination } = read()
        const actual: Expected = { ok: true, filters: conditionForm(filters), ...pagination }
        assert.deepEqual(actual, expected)
      })
    }
  })

  test.group('Query cases: logs of analyses', () => {
    for (const { id, endpoint, query, expected } of coreLogCases) {
      test(id, ({ assert }) => {
        const { schema, required } = LOG_ENDPOINTS[endpoint!]!
        const read = () => decodeLabelQuery(vocabularies.get(schema)!, query, required)
        if (!expected.ok) {
          return assertRefused(assert, read, expected)
        }

        const { labels, pagination } = read()
        const actual: Expected = { ok: true, labels, pagination }
        assert.deepEqual(actual, expected)
      })
    }
  })
}

function defineExecuteCases({ dataset, cases }: ExecuteVectors): void {
  const declarations = storedDeclarations()
  const { node } = declarations
  let sandbox: Sandbox

  test.group('Query cases: execution', (group) => {
    group.setup(async () => {
      sandbox = await Sandbox.open(Object.values(declarations))
      for (const declaration of Object.values(declarations)) {
        const rows = (dataset[declaration.table] ?? []) as Row[]
        await sandbox.insert(
          declaration,
          rows.map((row) => ({ updatedAt: row.createdAt, ...row }))
        )
      }
      return () => sandbox.close()
    })

    for (const { id, query, expected } of cases) {
      test(id, async ({ assert }) => {
        assert.includeMembers(EXPECTATIONS, Object.keys(expected))
        if (expected.status !== 200) {
          return assertStatus(assert, await refusal(query), expected)
        }

        const decoded = decode(node, query)
        const [page] = await sandbox.run<ListRow>(compileList(node, decoded))
        const rows = JSON.parse(page!.data) as Row[]
        assertPage(assert, { total: page!.total, ...decoded.pagination }, expected)
        assertRows(assert, rows, expected)
        if (expected.ordered) {
          const read = expected.tiesUndefined ? sortValue(query) : (row: Row) => row.name
          const byName = new Map(allNodes().map((row) => [row.name, row]))
          assert.deepEqual(
            rows.map(read),
            (expected.ordered as string[]).map((name) => read(byName.get(name)!))
          )
        }
      })
    }

    async function refusal(query: string): Promise<QueryError> {
      return refusalOf(() => compileList(node, decode(node, query)))
    }
  })

  function allNodes(): Row[] {
    const registries = new Map(dataset.registries?.map((row) => [row.id, row]))
    return dataset.nodes!.map((row) => ({
      ...row,
      registry: registries.get(row.registryId) ?? null,
    }))
  }

  /** Reads what a row is sorted by, so that rows that tie can stand in any order. */
  function sortValue(query: string): (row: Row) => unknown {
    const { path, name } = decode(node, query).sorts[0]!
    return (row) => path.reduce<Row | null>((at, key) => at?.[key] as Row, row)?.[name] ?? null
  }
}

const EXPECTATIONS = [
  ...['status', 'issue', 'total', 'limit', 'offset'],
  ...['names', 'ordered', 'tiesUndefined', 'data', 'keys'],
]

function assertPage(assert: Assert, meta: Row, expected: Expected): void {
  for (const key of ['total', 'limit', 'offset'].filter((name) => name in expected)) {
    assert.strictEqual(meta[key], expected[key], key)
  }
}

function assertRows(assert: Assert, rows: Row[], { names, data, keys }: Expected): void {
  if (names) {
    assert.deepEqual(rows.map(({ name }) => name).sort(), names as unknown[])
  }
  if (data) {
    assert.deepEqual(rows, data as Row[])
  }
  for (const row of keys ? rows : []) {
    assert.deepEqual(Object.keys(row).sort(), [...(keys as string[])].sort())
  }
}

function assertStatus(assert: Assert, error: QueryError, expected: Expected): void {
  assert.strictEqual(error.status, expected.status)
  if (!expected.issue) {
    return
  }
  assert.deepEqual(
    error.issues.map(({ code }) => code),
    [expected.issue] as typeof error.issues extends readonly { code: infer Code }[] ? Code[] : never
  )
}

function assertRefused(assert: Assert, read: () => unknown, { error }: Expected): void {
  const expected = error as { statusCode: number; code: string; issues: Expected[] }
  const refused = refusalOf(read)
  const issues = refused.issues.map(({ message: _, received, ...issue }, index) => {
    const compared = 'received' in (expected.issues[index] ?? {})
    return compared ? { ...issue, received } : issue
  })
  const actual: Expected = { statusCode: refused.status, code: refused.code, issues }
  assert.deepEqual(actual, expected as Expected)
}

function refusalOf(read: () => unknown): QueryError {
  try {
    read()
  } catch (error) {
    if (error instanceof QueryError) {
      return error
    }
    throw error
  }
  throw new Error('The query was answered, and should have been refused')
}

/** Puts what a placeholder stands for in its place. */
function filledIn({ ok: _, ...expected }: Expected, vocabulary: Vocabulary): Expected {
  if (typeof expected.fields !== 'string') {
    return expected
  }
  if (expected.fields !== '$default') {
    throw new Error(`The placeholder ${expected.fields} is unknown`)
  }
  return { ...expected, fields: describe(vocabulary).collection.fields.default }
}
