import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'

import { test } from '@japa/runner'
import fc from 'fast-check'

import type { Actor } from '#kernel/actor'
import { newId } from '#kernel/new_id'
import { DeletionUnsupported, OutsideRetention } from '#telemetry/logs/errors'
import { instantOf } from '#telemetry/logs/instant'
import { newLineKey, uniqueOf } from '#telemetry/logs/line_key'
import { testOf, type LogFilter } from '#telemetry/logs/log_filter'
import { decodeLogDeletion, decodeLogQuery } from '#query/log_query'
import { LOG_LEVELS } from '#records/log_lines'
import { normalizedLine } from '#telemetry/logs/normalized_line'
import { visibleTo } from '#telemetry/logs/visible_lines'
import { parseFilter } from '#telemetry/logs/parse_filter'
import type { LogLine, LogRecord } from '#telemetry/logs/log_line'
import type { LogPage, LogStore } from '#telemetry/logs/log_store'
import { logFilters } from './log_filter_arbitraries.js'
import { logQueries, ODD_LABELS } from './log_query_arbitraries.js'
import { eventually } from '#tests/helpers/eventually'

export interface LogStoreSubject {
  readonly store: LogStore
  /** Whether lines that are weeks old are refused. */
  readonly hasRetention: boolean
  /** How many lines it keeps that come in at once. */
  readonly burst: number
  /** Whether lines can be removed. */
  readonly removes: boolean
  /** Resolves once everything that was written is found. */
  settle(): Promise<void>
  stop(): Promise<void>
}

const PAGE: LogPage = { limit: 100, offset: 0 }
const ROUNDS = Number(process.env.LOG_ROUNDS ?? 40)

/** What the contract of log stores promises, of each driver. */
export function logStoreSuite(name: string, begin: () => Promise<LogStoreSubject>): void {
  test.group(`Log store | ${name}`, (group) => {
    let subject: LogStoreSubject
    let store: LogStore
    /** Lines of a test are its own, also in a store that others write to. */
    let run: string
    let startedAt: number

    group.setup(async () => {
      subject = await begin()
      store = subject.store
      return () => subject.stop()
    })

    group.each.setup(() => {
      run = newId()
      startedAt = Date.now() - 60_000
    })

    /** A line so many milliseconds after the beginning of the test. */
    const aLine = (at: number, traits: Partial<LogLine> = {}): LogLine => ({
      key: newLineKey(),
      time: new Date(startedAt + at).toISOString(),
      message: `line ${at}`,
      level: 'info',
      service: 'hub-server-test',
      channel: 'system',
      ...traits,
      labels: { run, ...traits.labels },
    })

    const ofRun = (...filters: LogFilter[]): LogFilter => ({
      kind: 'and',
      filters: [{ kind: 'oneOf', name: 'run', values: [run] }, ...filters],
    })

    const label = (labelName: string, ...values: string[]): LogFilter => ({
      kind: 'oneOf',
      name: labelName,
      values,
    })

    const not = (filter: LogFilter): LogFilter => ({ kind: 'not', filter })

    const write = async (...lines: LogLine[]) => {
      await store.write(lines)
      await subject.settle()
    }

    const found = async (filter: LogFilter, page = PAGE) => {
      const { records, total } = await store.list(filter, page)
      return { records: records.map((text): LogRecord => JSON.parse(text)), total }
    }

    const messages = async (filter: LogFilter, page = PAGE) =>
      (await found(filter, page)).records.map(({ message }) => message)

    test('lines come back as they were written, the newest first', async ({ assert }) => {
      const older = aLine(0, { level: 'error', channel: 'http', labels: { refType: 'analysis' } })
      const newer = aLine(1, { service: 'hub-server-worker', labels: { refType: 'masterImage' } })
      await write(older, newer)
      const { records, total } = await found(ofRun())
      const expected = [newer, older].map(({ key, ...record }) => record)
      assert.deepEqual(records, expected)
      assert.equal(total, 2)
      assert.deepEqual(Object.keys(records[0]!), [
        'time',
        'message',
        'level',
        'service',
        'channel',
        'labels',
      ])
    })

    test('text of any kind is stored unchanged, and found by its whole self only', async ({
      assert,
    }) => {
      const values = [
        'plain',
        'Plain',
        `a"b\\c'd\`e`,
        'line1\nline2\ttab\r',
        '  lead and trail  ',
        'a*b',
        'a | b',
        'äöü 😀 日本',
        '\u0001x',
        '1.50',
        'true',
        'null',
        '*',
        '(x) AND y:="z"',
        '$1 %s {a="b"}',
        '<b>&amp;</b>',
      ]
      await write(...values.map((value, at) => aLine(at, { message: value, labels: { value } })))
      for (const value of values) {
        const { records, total } = await found(ofRun(label('value', value)))
        assert.equal(total, 1, value)
        assert.equal(records[0]!.labels.value, value)
        assert.equal(records[0]!.message, value)
      }
      assert.deepEqual(await messages(ofRun(label('value', 'plai'))), [])
    })

    test('labels may have any names, those of parts of a line included', async ({ assert }) => {
      const labels = {
        'dot.name': '1',
        'dash-name': '2',
        'sp ace': '3',
        'ünï': '4',
        'and': '5',
        'message': '6',
        'time': '7',
        'constructor': '8',
        'in': '9',
        'quo"te': '10',
      }
      await write(aLine(0, { labels }), aLine(1))
      for (const [labelName, value] of Object.entries(labels)) {
        const { records } = await found(ofRun(label(labelName, value)))
        assert.deepEqual(records[0]?.labels, { run, ...labels }, labelName)
      }
    })

    test('lines are found by the realms of their owner, which no label changes', async ({
      assert,
    }) => {
      const [one, other] = [randomUUID(), randomUUID()]
      const reportedBy = { id: null, realmId: null, type: 'bus' } as const
      const forged = { _realms: `|${one}|`, realms: one }
      await write(
        aLine(0, { owner: { reportedBy, realms: [other, one] } }),
        aLine(1, { owner: { reportedBy, realms: [other] } }),
        aLine(2, { owner: { reportedBy, realms: [] }, labels: { realms: one } }),
        aLine(3, { labels: { realms: one } }),
        normalizedLine({ ...aLine(4), labels: { run, ...forged } })
      )
      const seenBy = async (realmId: string | null) =>
        (await messages(visibleTo({ realmId, realmName: 'x' } as Actor, ofRun()))).toSorted()
      assert.deepEqual(await seenBy(one), ['line 0'])
      assert.deepEqual(await seenBy(other), ['line 0', 'line 1'])
      assert.deepEqual(await seenBy(one.slice(0, 8)), [])
      assert.deepEqual(await seenBy(null), [])
      const { records } = await found(ofRun({ kind: 'contains', name: 'realms', text: one }))
      assert.lengthOf(records, 3)
      const text = JSON.stringify((await found(ofRun())).records)
      assert.notInclude(text, other)
      assert.notInclude(text, '_realms')
    })

    test('level, service and channel are queried as labels are', async ({ assert }) => {
      await write(
        ...LOG_LEVELS.map((level, at) => aLine(at, { level, channel: at % 2 ? 'http' : 'system' }))
      )
      assert.deepEqual(await messages(ofRun(label('level', 'warn'))), ['line 4'])
      assert.deepEqual(await messages(ofRun(label('level', 'warn', 'debug'))), ['line 7', 'line 4'])
      assert.equal((await found(ofRun(label('channel', 'http')))).total, 4)
      assert.equal((await found(ofRun(label('service', 'hub-server-test')))).total, 8)
      assert.equal((await found(ofRun(not(label('service', 'hub-server-test'))))).total, 0)
    })

    test('the store lists, negations and their mixtures share out all lines', async ({
      assert,
    }) => {
      await write(
        aLine(0, { labels: { a: '1', b: '1' } }),
        aLine(1, { labels: { a: '2', b: '1' } }),
        aLine(2, { labels: { a: '3' } }),
        aLine(3)
      )
      assert.deepEqual(await messages(ofRun(label('a', '1', '3', '9'))), ['line 2', 'line 0'])
      assert.deepEqual(await messages(ofRun(not(label('a', '1', '3')))), ['line 3', 'line 1'])
      assert.deepEqual(await messages(ofRun(not(label('a', '1')))), ['line 3', 'line 2', 'line 1'])
      assert.deepEqual(await messages(ofRun(label('b', ''))), ['line 3', 'line 2'])
      assert.deepEqual(await messages(ofRun(label('b', '', '1'), label('a', '2', ''))), [
        'line 3',
        'line 1',
      ])
      assert.deepEqual(await messages(ofRun(label('a'))), [])
      assert.deepEqual(
        await messages(
          ofRun(not({ kind: 'and', filters: [label('a', '1', '2'), not(label('a', '2'))] }))
        ),
        ['line 3', 'line 2', 'line 1']
      )
      assert.deepEqual(
        await messages(ofRun({ kind: 'or', filters: [label('a', '3'), label('b', '1')] })),
        ['line 2', 'line 1', 'line 0']
      )
      assert.deepEqual(await messages(ofRun({ kind: 'or', filters: [] })), [])
    })

    test('parts of values are found, whatever they mean elsewhere', async ({ assert }) => {
      await write(
        aLine(0, { labels: { a: 'x.*y' } }),
        aLine(1, { labels: { a: 'x..y' } }),
        aLine(2, { labels: { a: 'prefix \\E(end)' } })
      )
      const queryFor = (kind: 'contains' | 'startsWith' | 'endsWith', text: string) =>
        messages(ofRun({ kind, name: 'a', text }))
      assert.deepEqual(await queryFor('contains', '.*'), ['line 0'])
      assert.deepEqual(await queryFor('contains', 'x'), ['line 2', 'line 1', 'line 0'])
      assert.deepEqual(await queryFor('startsWith', 'x.'), ['line 1', 'line 0'])
      assert.deepEqual(await queryFor('startsWith', 'X'), [])
      assert.deepEqual(await queryFor('endsWith', '\\E(end)'), ['line 2'])
      assert.deepEqual(await queryFor('endsWith', 'x'), [])
      assert.deepEqual(await queryFor('contains', ''), ['line 2', 'line 1', 'line 0'])
    })

    test('times bound what is found, to the millisecond and below', async ({ assert }) => {
      await write(...[0, 1, 2, 1_000].map((at) => aLine(at)))
      const at = (op: '>=' | '>' | '<=' | '<', milliseconds: number, nanoseconds = 0n) =>
        messages(ofRun({ kind: 'time', op, at: instantOf(startedAt + milliseconds) + nanoseconds }))
      assert.deepEqual(await at('>=', 1), ['line 1000', 'line 2', 'line 1'])
      assert.deepEqual(await at('>', 1), ['line 1000', 'line 2'])
      assert.deepEqual(await at('<=', 1), ['line 1', 'line 0'])
      assert.deepEqual(await at('<', 1), ['line 0'])
      assert.deepEqual(await at('<=', 1, -1n), ['line 0'])
      assert.deepEqual(await at('>=', 1, 1n), ['line 1000', 'line 2'])
    })

    test('any filter finds what it means, and nothing else', async ({ assert }) => {
      const letters = ['a', 'b', 'ab', 'A']
      const lines = Array.from({ length: 60 }, (_, at) =>
        aLine(at % 20, {
          message: `line ${at}`,
          level: LOG_LEVELS[at % 3]!,
          labels: {
            ...(at % 2 && { x: letters[at % 4]! }),
            ...(at % 3 && { y: letters[at % 3]! }),
          },
        })
      )
      await write(...lines)
      await fc.assert(
        fc.asyncProperty(logFilters(startedAt, letters), async (filter) => {
          const actual = await messages(ofRun(filter))
          const meant = lines.filter(testOf(filter))
          assert.sameMembers(
            actual,
            meant.map(({ message }) => message)
          )
        }),
        { numRuns: ROUNDS }
      )
    })

    test('pages of lines of one time hold each line once, and the total is that of all', async ({
      assert,
    }) => {
      const lines = Array.from({ length: 230 }, (_, at) => aLine(5, { message: `line ${at}` }))
      await write(...lines)
      const seen: string[] = []
      for (let offset = 0; offset < 240; offset += 30) {
        const { records, total } = await found(ofRun(), { limit: 30, offset })
        assert.equal(total, 230)
        seen.push(...records.map(({ message }) => message))
      }
      assert.deepEqual(seen, lines.map(({ message }) => message).toReversed())
      assert.deepEqual((await found(ofRun(), { limit: 10, offset: 500 })).records, [])
      const oldest = await messages(ofRun(), { limit: 2, offset: 1, oldestFirst: true })
      assert.deepEqual(oldest, ['line 1', 'line 2'])
    })

    test('pages hold what they should wherever they begin, of lines close together and far apart', async ({
      assert,
    }) => {
      const lines = Array.from({ length: subject.burst }, (_, at) => {
        const second = at % 2 ? 0 : -Math.floor(at ** 1.5 / 100)
        return aLine(second * 1_000 + (at % 3), { message: `line ${at}` })
      })
      await write(...lines)
      const inOrder = lines
        .toSorted((a, b) => a.time.localeCompare(b.time) || a.key.localeCompare(b.key))
        .map(({ message }) => message)
      const count = lines.length
      const middle = Math.floor(count / 2)
      for (const offset of [0, middle - 50, middle, middle + 1_234, count - 50, count, 2 * count]) {
        const page = { limit: 100, offset }
        const newest = await found(ofRun(), page)
        assert.equal(newest.total, count)
        assert.deepEqual(
          newest.records.map(({ message }) => message),
          inOrder.toReversed().slice(offset, offset + 100)
        )
        const oldest = await messages(ofRun(), { ...page, oldestFirst: true })
        assert.deepEqual(oldest, inOrder.slice(offset, offset + 100))
      }
    }).timeout(60_000)

    test('a line that comes once more is one line', async ({ assert }) => {
      const line = aLine(0)
      await write(line)
      await store.write([{ ...line, key: newLineKey(uniqueOf(line.key)) }, aLine(1)], {
        again: true,
      })
      await subject.settle()
      assert.deepEqual(await messages(ofRun()), ['line 1', 'line 0'])
    })

    test('long lines are stored, and the lines beside them', async ({ assert }) => {
      const long = 'ä"\u0001'.repeat(12_000)
      await write(aLine(0), aLine(1, { labels: { long } }), aLine(2))
      const { records } = await found(ofRun())
      assert.deepEqual(
        records.map(({ message }) => message),
        ['line 2', 'line 1', 'line 0']
      )
      assert.equal(records[1]!.labels.long, long)
    })

    test('a line older than the retention is refused, with the lines beside it', async ({
      assert,
    }) => {
      const old = aLine(0, { time: new Date(Date.now() - 400 * 86_400_000).toISOString() })
      if (!subject.hasRetention) {
        await write(old)
        return assert.deepEqual(await messages(ofRun()), ['line 0'])
      }
      await assert.rejects(() => store.write([aLine(1), old]), OutsideRetention)
      const ahead = aLine(0, { time: new Date(Date.now() + 4 * 86_400_000).toISOString() })
      await assert.rejects(() => store.write([ahead]), OutsideRetention)
      await subject.settle()
      assert.deepEqual(await messages(ofRun()), [])
    })

    test('what is removed is what was listed, and all of it', async ({ assert }) => {
      await write(...[0, 1, 2, 3].map((at) => aLine(at, { labels: { half: String(at % 2) } })))
      const half = ofRun(label('half', '1'))
      if (!subject.removes) {
        assert.isString(await store.findDeletionProblem())
        await assert.rejects(() => store.remove(half), DeletionUnsupported)
        return assert.equal((await found(ofRun())).total, 4)
      }
      assert.isUndefined(await store.findDeletionProblem())
      await store.remove(half)
      assert.deepEqual(await messages(half), [])
      assert.deepEqual(await messages(ofRun()), ['line 2', 'line 0'])
      await store.remove(half)
      await write(aLine(9, { labels: { half: '1' } }))
      assert.deepEqual(await messages(half), ['line 9'])
    })

    test('a deletion removes exactly what the list with the same query has, and else nothing', async ({
      assert,
    }) => {
      if (!subject.removes) {
        return
      }
      const answered = (work: Promise<unknown>) =>
        work.catch((error: unknown) => {
          assert.equal((error as { status?: number }).status, 400)
        })
      let rounds = 0
      const round = () => `${run}-${rounds}`
      await fc.assert(
        fc.asyncProperty(logQueries('round', 'ROUND'), async (written) => {
          rounds++
          const raw = written.replace('ROUND', round())
          const lines = ODD_LABELS.flatMap((called, at) => [
            aLine(at, { message: `${called} 1`, labels: { round: round(), [called]: '1' } }),
            aLine(at, {
              message: `${called} 2`,
              level: 'error',
              labels: { round: round(), [called]: '2' },
            }),
          ])
          await write(...lines)
          const ofRound = label('round', round())
          const listed = await answered(
            (async () => messages(parseFilter(decodeLogQuery(raw).filters)))()
          )
          const before = await messages(ofRound)
          const removed = await answered(
            (async () => {
              await store.remove(parseFilter(decodeLogDeletion(raw).filters))
              return true
            })()
          )
          assert.isTrue(removed === undefined || listed !== undefined, raw)
          const gone = removed ? (listed as string[]) : []
          assert.sameMembers(
            await messages(ofRound),
            before.filter((message) => !gone.includes(message)),
            raw
          )
        }),
        { numRuns: ROUNDS }
      )
    }).timeout(300_000)

    test('who follows lines gets those that come in, in their order, and no others', async ({
      assert,
    }) => {
      await write(aLine(0))
      const following = follower(store, ofRun(label('half', '1')))
      await following.begun
      for (let at = 0; at < 8; at++) {
        await store.write([aLine(at, { labels: { half: String(at % 2) } })])
      }
      await following.until(4)
      assert.deepEqual(following.messages, ['line 1', 'line 3', 'line 5', 'line 7'])
      await following.end()
    })

    test('who comes back with a cursor gets the rest, each line once', async ({ assert }) => {
      const first = follower(store, ofRun())
      await first.begun
      await store.write([0, 1, 2].map((at) => aLine(at)))
      await first.until(3)
      await first.end()
      await store.write([3, 4].map((at) => aLine(at)))
      const second = follower(store, ofRun(), first.cursors[1])
      await second.until(3)
      await store.write([aLine(5)])
      await second.until(4)
      assert.deepEqual(second.messages, ['line 2', 'line 3', 'line 4', 'line 5'])
      await second.end()
    })

    test('a burst of lines of one time comes whole, in its order and once, also to who comes back on the way', async ({
      assert,
    }) => {
      const first = follower(store, ofRun())
      await first.begun
      const lines = Array.from({ length: subject.burst }, (_, at) =>
        aLine(5, { message: `line ${at}` })
      )
      const expected = lines.map(({ message }) => message)
      await store.write(lines)
      await first.until(lines.length)
      assert.deepEqual(first.messages, expected)
      await first.end()
      const from = Math.floor(lines.length / 3)
      const second = follower(store, ofRun(), first.cursors[from - 1])
      await second.until(lines.length - from)
      assert.deepEqual(second.messages, expected.slice(from))
      await second.end()
    }).timeout(120_000)
  })
}

/** Somebody who follows lines. */
function follower(store: LogStore, filter: LogFilter, after?: string) {
  const stopping = new AbortController()
  const messages: string[] = []
  const cursors: string[] = []
  const lines = store.tail(filter, stopping.signal, after)[Symbol.asyncIterator]()
  const next = lines.next()
  const done = (async () => {
    for (let line = await next; !line.done; line = await lines.next()) {
      messages.push(JSON.parse(line.value.record).message)
      cursors.push(line.value.cursor)
    }
  })()
  return {
    messages,
    cursors,
    /** From here on what comes in is followed. */
    begun: nextTurn(),
    async until(count: number) {
      await eventually(() => messages.length >= count, 60_000).catch(() => {})
    },
    async end() {
      stopping.abort()
      await done
    },
  }
}
