import { test } from '@japa/runner'
import fc from 'fast-check'

import { decode } from '#query/decode'
import { QueryError } from '#query/errors'
import { decodeLogQuery } from '#query/log_query'
import { compileList, type ListRow } from '#query/sql/list_statement'

import * as arbitrary from '#tests/unit/query/filter_arbitraries'
import { Sandbox } from './sandbox.js'
import { specimen, specimenRows } from '#tests/unit/query/specimens'
import { rounds } from '#tests/helpers/rounds'

/** Set it to the seed of a failed run to see that run again. */
const seed = process.env.QUERY_SEED ? Number(process.env.QUERY_SEED) : undefined
/** Shrinking a failure can take long; the best example so far is reported. */
const settings = { seed, interruptAfterTimeLimit: 40_000 }
const MODES = ['collection', 'record', 'filtersOnly'] as const
const AMOUNT = 45

let sandbox: Sandbox

async function idsOf(query: string): Promise<string[]> {
  const [row] = await sandbox.run<ListRow>(
    compileList(specimen, decode(specimen, `${query}&fields=id`))
  )
  const ids = (JSON.parse(row!.data) as { id: string }[]).map(({ id }) => id)
  if (row!.total !== ids.length) {
    throw new Error('The total differs from the rows')
  }
  return ids
}

function byExpression(filter: arbitrary.Tree): Promise<string[]> {
  return idsOf(`filter=${encodeURIComponent(arbitrary.expression(filter))}`)
}

/** Whether a query was answered; rethrows anything but a QueryError. */
function isAnswered(answer: () => unknown): boolean {
  try {
    answer()
    return true
  } catch (error) {
    if (error instanceof QueryError) {
      return false
    }
    throw error
  }
}

test.group('Properties of every filter', (group) => {
  group.setup(async () => {
    sandbox = await Sandbox.open([specimen])
    await sandbox.insert(specimen, specimenRows(AMOUNT))
    return () => sandbox.close()
  })

  test('a filter and its negation partition all rows', async ({ assert }) => {
    const everything = await idsOf('')
    const property = fc.asyncProperty(arbitrary.tree, async (filter) => {
      const matching = await byExpression(filter)
      const others = await byExpression({ not: filter })
      assert.deepEqual([...matching, ...others].sort(), everything)
    })
    await fc.assert(property, { ...settings, numRuns: rounds(600) })
  }).timeout(60_000)

  test('a filter means the same in both dialects', async ({ assert }) => {
    const property = fc.asyncProperty(arbitrary.singleTest, async (comparison) => {
      assert.deepEqual(await idsOf(arbitrary.brackets(comparison)), await byExpression(comparison))
    })
    await fc.assert(property, { ...settings, numRuns: rounds(600) })
  }).timeout(60_000)

  test('a conjunction narrows each of its filters', async ({ assert }) => {
    const property = fc.asyncProperty(arbitrary.tree, arbitrary.tree, async (one, other) => {
      const both = await byExpression({ and: [one, other] })
      const either = await byExpression({ or: [one, other] })
      assert.includeMembers(await byExpression(one), both)
      assert.includeMembers(either, await byExpression(other))
    })
    await fc.assert(property, { ...settings, numRuns: rounds(150) })
  }).timeout(60_000)

  test('a query is answered or rejected, and never causes a database error', async () => {
    const query = fc.oneof(arbitrary.almostQuery, arbitrary.anyValue)
    const property = fc.asyncProperty(query, async (raw) => {
      let statement
      if (!isAnswered(() => (statement = compileList(specimen, decode(specimen, raw))))) {
        return
      }
      await sandbox.run(statement!)
    })
    await fc.assert(property, { ...settings, numRuns: rounds(4000) })
  }).timeout(60_000)
})

test.group('Any text', () => {
  test('a text is decoded or refused with the one error', () => {
    const property = fc.property(
      fc.oneof(arbitrary.almostQuery, arbitrary.anyValue),
      fc.constantFrom(...MODES),
      (raw, mode) => {
        isAnswered(() => decode(specimen, raw, mode))
      }
    )
    fc.assert(property, { ...settings, numRuns: rounds(100_000) })
  }).timeout(60_000)

  test('a text is read as a query for logs or refused with the one error', () => {
    const property = fc.property(fc.oneof(arbitrary.almostQuery, arbitrary.anyValue), (raw) => {
      isAnswered(() => decodeLogQuery(raw))
    })
    fc.assert(property, { ...settings, numRuns: rounds(10_000) })
  })

  test('a text that is refused is refused for a stated reason, as often as it is sent', ({
    assert,
  }) => {
    const property = fc.property(arbitrary.almostQuery, (raw) => {
      const read = () => JSON.stringify(outcomeOf(raw))
      assert.strictEqual(read(), read())
    })
    fc.assert(property, { ...settings, numRuns: rounds(3000) })
  })
})

function outcomeOf(raw: string): unknown {
  try {
    const { selection, filters, sorts, pagination, dropped } = decode(specimen, raw)
    return { selection, filters, sorts, pagination, dropped }
  } catch (error) {
    const { issues, message } = error as QueryError
    return { issues, message }
  }
}
