import { test } from '@japa/runner'
import fc from 'fast-check'

import { newLineKey } from '#telemetry/logs/line_key'
import type { LogFilter } from '#telemetry/logs/log_filter'
import type { LogLine } from '#telemetry/logs/log_line'
import { MemoryLogStore } from '#telemetry/logs/memory/memory_log_store'
import { logStoreSuite } from '#tests/helpers/telemetry/log_store_suite'

const MIB = 1024 ** 2

logStoreSuite('memory', async () => ({
  store: new MemoryLogStore({ lines: 100_000, bytes: 64 * MIB }),
  hasRetention: false,
  burst: 10_000,
  removes: true,
  settle: async () => {},
  stop: async () => {},
}))

logStoreSuite('memory with a low limit', async () => ({
  store: new MemoryLogStore({ lines: 100_000, bytes: 1.5 * MIB }),
  hasRetention: false,
  burst: 1_000,
  removes: true,
  settle: async () => {},
  stop: async () => {},
}))

const EVERYTHING: LogFilter = { kind: 'and', filters: [] }

const aLine = (number: number, padding = 0): LogLine => ({
  key: newLineKey(),
  time: new Date(1_700_000_000_000 + number).toISOString(),
  message: `line ${number}`,
  level: 'info',
  service: 'hub-server-test',
  channel: 'system',
  labels: { number: String(number), tenth: String(number % 10), padding: 'x'.repeat(padding + 1) },
})

const messagesOf = (records: readonly string[]) =>
  records.map((text) => JSON.parse(text).message as string)

const manyLines = (count: number, padding = 0) =>
  Array.from({ length: count }, (_, number) => aLine(number, padding))

test.group('Memory log store', () => {
  test('the oldest lines are dropped one by one above the limit', async ({ assert }) => {
    const store = new MemoryLogStore({ lines: 5_000, bytes: 64 * MIB })
    await store.write(manyLines(12_345))
    const { records, total } = await store.list(EVERYTHING, { limit: 1, offset: 4_999 })
    assert.equal(total, 5_000)
    assert.equal(JSON.parse(records[0]!).message, 'line 7345')
    const { total: tenth } = await store.list(
      { kind: 'oneOf', name: 'tenth', values: ['3'] },
      { limit: 1, offset: 0 }
    )
    assert.equal(tenth, 500)
  })

  test('lines never exceed the limit of memory, whatever their length', async ({ assert }) => {
    const store = new MemoryLogStore({ lines: 1_000_000, bytes: MIB })
    for (const line of manyLines(3_000, 5_000)) {
      await store.write([line])
      assert.isAtMost(store.bytes, MIB * 1.1)
    }
    assert.isAbove(store.count, 90)
    const { records } = await store.list(EVERYTHING, { limit: 1, offset: 0 })
    assert.equal(JSON.parse(records[0]!).message, 'line 2999')
  })

  test('a deletion releases the memory of the lines', async ({ assert }) => {
    const store = new MemoryLogStore({ lines: 100_000, bytes: 64 * MIB })
    await store.write(manyLines(20_000))
    const before = store.bytes
    await store.remove(EVERYTHING)
    assert.isBelow(store.bytes, before / 2)
    assert.equal(store.count, 0)
    await store.write(manyLines(10))
    assert.equal((await store.list(EVERYTHING, { limit: 10, offset: 0 })).total, 10)
  })

  test('late lines are listed at their time', async ({ assert }) => {
    const store = new MemoryLogStore({ lines: 100_000, bytes: 64 * MIB })
    await store.write([...manyLines(10_000).slice(1), aLine(0)])
    const { records } = await store.list(EVERYTHING, { limit: 2, offset: 9_998 })
    assert.deepEqual(
      records.map((text) => JSON.parse(text).message),
      ['line 1', 'line 0']
    )
  })

  test('lists match the lines after any writes and deletions', async ({ assert }) => {
    const step = fc.oneof(
      fc.record({ written: fc.integer({ min: 1, max: 90 }), late: fc.nat({ max: 30 }) }),
      fc.record({ removed: fc.nat({ max: 9 }) })
    )
    const tenth = (value: number): LogFilter => ({
      kind: 'oneOf',
      name: 'tenth',
      values: [String(value)],
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 12 }), async (steps) => {
        const store = new MemoryLogStore({ lines: 200, bytes: MIB })
        let retained: LogLine[] = []
        let next = 0
        for (const each of steps) {
          if ('written' in each) {
            const lines = Array.from({ length: each.written }, () => aLine(next++))
            const shifted = lines.map((line, index) =>
              index % 7 === 0 ? { ...line, time: aLine(Math.max(0, next - each.late)).time } : line
            )
            await store.write(shifted)
            retained = [...retained, ...shifted].slice(-200)
          } else {
            await store.remove(tenth(each.removed))
            retained = retained.filter(({ labels }) => labels.tenth !== String(each.removed))
          }
          for (const value of [0, 3]) {
            const expected = retained
              .filter(({ labels }) => labels.tenth === String(value))
              .toSorted((one, other) =>
                one.time < other.time ? -1 : one.time > other.time ? 1 : 0
              )
              .map(({ message }) => message)
            const page = { limit: 5, offset: 1 }
            const { records, total } = await store.list(tenth(value), page)
            const oldest = await store.list(tenth(value), { ...page, oldestFirst: true })
            assert.equal(total, expected.length)
            assert.deepEqual(messagesOf(records), expected.toReversed().slice(1, 6))
            assert.deepEqual(messagesOf(oldest.records), expected.slice(1, 6))
          }
        }
      })
    )
  })

  test('a tail with the cursor of a previous store starts at the beginning', async ({ assert }) => {
    const store = new MemoryLogStore({ lines: 100, bytes: MIB })
    await store.write(manyLines(3))
    const stopping = new AbortController()
    const lines = []
    for await (const { record } of store.tail(EVERYTHING, stopping.signal, 'another.7')) {
      lines.push(JSON.parse(record).message)
      if (lines.length === 3) {
        stopping.abort()
      }
    }
    assert.deepEqual(lines, ['line 0', 'line 1', 'line 2'])
  })
})
