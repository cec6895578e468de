import { test } from '@japa/runner'

import { ServiceUnavailable } from '#kernel/failures'
import { LogStoreUnavailable, LogStoreOverrun } from '#telemetry/logs/errors'
import { newLineKey, uniqueOf } from '#telemetry/logs/line_key'
import type { LogFilter } from '#telemetry/logs/log_filter'
import type { LogLine } from '#telemetry/logs/log_line'
import { VictoriaLogsStore } from '#telemetry/logs/victorialogs/victorialogs_store'
import type { Timing } from '#telemetry/logs/victorialogs/timing'
import { eventually } from '#tests/helpers/eventually'
import { logStoreSuite } from '#tests/helpers/telemetry/log_store_suite'
import { holds } from '#tests/helpers/telemetry/victorialogs/kept_lines'
import { parseLogsql } from '#tests/helpers/telemetry/victorialogs/logsql_parser'
import {
  VictoriaLogsStandIn,
  type StandInOptions,
} from '#tests/helpers/telemetry/victorialogs/stand_in'
import { realTime } from '#tests/helpers/real_time'

const QUICK: Timing = { gatherMs: 1, visibleMs: 300, durableMs: 500, pollMs: 10 }

async function subject(options: StandInOptions) {
  const standIn = await VictoriaLogsStandIn.start(options)
  const store = new VictoriaLogsStore({
    ingestor: standIn.url,
    querier: standIn.url,
    retentionDays: 7,
    timing: QUICK,
    report: () => {},
  })
  return {
    store,
    hasRetention: true,
    burst: 2_000,
    removes: options.deletion === 'on',
    settle: async () => {},
    async stop() {
      await store.close()
      await standIn.stop()
      if (standIn.strange.length > 0) {
        throw new Error(`The server received an unrecorded request: ${standIn.strange[0]}`)
      }
    },
  }
}

logStoreSuite('VictoriaLogs, as it was recorded', () => subject({ deletion: 'on' }))
logStoreSuite('VictoriaLogs of a release without deletion', () => subject({ deletion: 'none' }))

const OF_TESTS: LogFilter = { kind: 'oneOf', name: 'refType', values: ['test'] }

const aLine = (message: string, at = Date.now() - 1_000): LogLine => ({
  key: newLineKey(),
  time: new Date(at).toISOString(),
  message,
  level: 'info',
  service: 'hub-server-test',
  channel: 'system',
  labels: { refType: 'test' },
})

test.group('VictoriaLogs store', (group) => {
  let standIn: VictoriaLogsStandIn
  let store: VictoriaLogsStore
  let reports: string[]

  group.each.setup(async () => {
    standIn = await VictoriaLogsStandIn.start({ deletion: 'on', visibleMs: 10 })
    reports = []
    store = new VictoriaLogsStore({
      ingestor: standIn.url,
      querier: `${standIn.url}/`,
      retentionDays: 7,
      timing: QUICK,
      report: (_, what) => reports.push(what),
    })
    return async () => {
      await store.close()
      await standIn.stop()
    }
  })

  /** Resolves when the store looks next for lines that the server may have lost. */
  const looked = async () => {
    let isOver = false
    standIn.onAsked = (path) => (isOver ||= path.startsWith('/select'))
    await eventually(() => isOver)
  }

  const visible = (count: number) =>
    eventually(async () => (await store.list(OF_TESTS, { limit: 1, offset: 0 })).total === count)

  const messages = () => standIn.lines.map(({ fields }) => fields.get('_msg')!).toSorted()

  test('lines that the server lost at its end are sent once more, each once', async ({
    assert,
  }) => {
    await store.write([aLine('long on the disk')])
    const moment = performance.now()
    await store.write([aLine('one'), aLine('two')])
    await store.write([aLine('three')])
    standIn.loseSince(moment)
    assert.deepEqual(messages(), ['long on the disk'])
    await eventually(() => standIn.lines.length === 4)
    await looked()
    await store.write([aLine('afterwards')])
    assert.deepEqual(messages(), ['afterwards', 'long on the disk', 'one', 'three', 'two'])
  })

  test('a line that may have arrived is looked for before it is sent again', async ({ assert }) => {
    standIn.fault = { to: /insert/, does: 'hangs up afterwards', times: 1 }
    await store.write([aLine('one')])
    assert.deepEqual(messages(), ['one'])
    standIn.fault = { to: /insert/, does: 'hangs up', times: 1 }
    await store.write([aLine('two')])
    assert.deepEqual(messages(), ['one', 'two'])
  })

  test('lines wait while the server accepts none, and are requeued where it stays unavailable', async ({
    assert,
  }) => {
    standIn.fault = { to: /insert/, does: 429, times: 2 }
    await store.write([aLine('one')])
    assert.deepEqual(messages(), ['one'])
    standIn.fault = { to: /insert/, does: 503, times: 1_000 }
    await assert.rejects(() => store.write([aLine('two')]), LogStoreUnavailable)
    assert.deepEqual(messages(), ['one'])
  }).timeout(30_000)

  test('what comes in about the same time goes in one request', async ({ assert }) => {
    await Promise.all(Array.from({ length: 200 }, (_, at) => store.write([aLine(`line ${at}`)])))
    assert.lengthOf(standIn.lines, 200)
    assert.isBelow(standIn.inserted.length, 5)
  })

  test('lines that come once more are looked for together', async ({ assert }) => {
    const lines = Array.from({ length: 120 }, (_, at) => aLine(`line ${at}`))
    await store.write(lines.slice(0, 60))
    const queries: string[] = []
    standIn.onAsked = (path) => queries.push(path)
    const again = lines.map((line) => ({ ...line, key: newLineKey(uniqueOf(line.key)) }))
    await Promise.all(again.map((line) => store.write([line], { again: true })))
    assert.lengthOf(standIn.lines, 120)
    assert.isBelow(queries.filter((path) => path.startsWith('/select')).length, 5)
  })

  test('more lines than there is room for are refused', async ({ assert }) => {
    standIn.fault = { to: /insert/, does: 503, times: 1_000 }
    const big = () => ({ ...aLine('big'), labels: { padding: 'x'.repeat(150_000) } })
    const writes = Array.from({ length: 400 }, () => store.write([big()]))
    const results = await Promise.allSettled(writes)
    const reasons = results.map((result) => result.status === 'rejected' && result.reason)
    assert.isTrue(reasons.some((reason) => reason instanceof LogStoreOverrun))
    assert.isTrue(reasons.every((reason) => reason instanceof ServiceUnavailable))
  }).timeout(30_000)

  test('what was removed stays away, though the server seems to have lost it', async ({
    assert,
  }) => {
    await store.write([aLine('one')])
    await store.remove(OF_TESTS)
    await store.write([aLine('afterwards')])
    await looked()
    assert.deepEqual(messages(), ['afterwards'])
  })

  test('lines of the future prevent a partial deletion', async ({ assert }) => {
    await store.write([aLine('one'), aLine('ahead', Date.now() + 3_600_000)])
    await visible(2)
    await assert.rejects(() => store.remove(OF_TESTS), /dated in the future/)
    assert.deepEqual(messages(), ['ahead', 'one'])
  })

  test('lines that the server loses are reported after some attempts', async ({ assert }) => {
    const standsFirm = await VictoriaLogsStandIn.start({ retentionDays: 1 })
    const other = new VictoriaLogsStore({
      ingestor: standsFirm.url,
      querier: standsFirm.url,
      retentionDays: 7,
      timing: QUICK,
      report: (_, what) => reports.push(what),
    })
    await other.write([aLine('old', Date.now() - 3 * 86_400_000)])
    await eventually(() => reports.length > 0)
    assert.match(reports[0]!, /LOGSTORE_RETENTION_DAYS/)
    assert.lengthOf(standsFirm.inserted, 4)
    await other.close()
    await standsFirm.stop()
  })

  test('a page far back has the server sort the lines of its time, and no others', async ({
    assert,
  }) => {
    const now = Date.now()
    const lines = Array.from({ length: 12_000 }, (_, at) => aLine(`line ${at}`, now - at * 100))
    await store.write(lines)
    const first = { limit: 1, offset: 0 }
    await eventually(async () => (await store.list(OF_TESTS, first)).total === lines.length)
    const sorted: string[] = []
    standIn.onAsked = (path) => {
      const query = new URL(path, standIn.url).searchParams.get('query') ?? ''
      if (query.includes('| sort')) {
        sorted.push(query)
      }
    }
    for (const offset of [0, 11_900]) {
      const { records, total } = await store.list(OF_TESTS, { limit: 100, offset })
      assert.equal(total, 12_000)
      assert.equal(JSON.parse(records[0]!).message, `line ${offset}`)
    }
    assert.lengthOf(sorted, 2)
    for (const query of sorted) {
      const { filter } = parseLogsql(query)
      assert.isAtMost(standIn.lines.filter((line) => holds(filter, line)).length, 5_000)
    }
  })

  test('a tail includes lines that the server accepted late', async ({ assert }) => {
    const stopping = new AbortController()
    const tail = store.tail(OF_TESTS, stopping.signal)
    const next = tail.next()
    standIn.fault = { to: /insert/, does: 503, times: 2 }
    const slow = store.write([aLine('slow')])
    await realTime(QUICK.visibleMs * 2, 'a server shows lines after a time of its own')
    await store.write([aLine('quick')])
    await slow
    const shown = [await next, await tail.next()].map(({ value }) => value!.record)
    assert.deepEqual(
      shown.map((record) => JSON.parse(record).message),
      ['slow', 'quick']
    )
    stopping.abort()
    await tail.return(undefined)
  })

  test('lines of others are shown with what they lack made good', async ({ assert }) => {
    const line = { _time: new Date().toISOString(), _msg: 'foreign', refType: 'test', service: 'x' }
    await fetch(`${standIn.url}/insert/jsonline`, {
      method: 'POST',
      headers: { 'content-type': 'application/stream+json' },
      body: JSON.stringify(line),
    })
    await visible(1)
    const { records } = await store.list(OF_TESTS, { limit: 1, offset: 0 })
    assert.deepEqual(JSON.parse(records[0]!), {
      time: line._time,
      message: 'foreign',
      level: 'info',
      service: 'x',
      channel: 'system',
      labels: { refType: 'test' },
    })
  })
})
