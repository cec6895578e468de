import { test } from '@japa/runner'

import { SecurityAudit } from '#audit/security_audit'
import { Bus } from '#bus/bus'
import { LogStore } from '#telemetry/logs/log_store'
import { newMessage } from '#bus/message'
import { COMMAND_QUEUES, commandRouting } from '#bus/names'
import { databaseUrl } from '#database/addresses'
import { pools } from '#database/pools'
import { newId } from '#kernel/new_id'
import type { RunningJob } from '#jobs/running_job'
import { consumeLogLines } from '#telemetry/logs/log_ingest'
import { LineOwners } from '#telemetry/logs/line_owners'
import { LogService } from '#telemetry/logs/log_service'
import { VictoriaLogsStore } from '#telemetry/logs/victorialogs/victorialogs_store'
import { at, boot } from '#tests/helpers/application'
import { followed, type StreamedEvent } from '#tests/helpers/telemetry/followed'
import { identity, withEndingTokens } from '#tests/helpers/identities'
import { VictoriaLogsStandIn } from '#tests/helpers/telemetry/victorialogs/stand_in'

const writer = identity({ permissions: ['log_create'] })
const reader = identity({ permissions: ['log_read'] })
const remover = identity({ permissions: ['log_delete'] })

const aLog = (refId: string, traits: object = {}) => ({
  message: 'something happened',
  service: 'hub-server-core',
  level: 'info',
  channel: 'http',
  labels: { refType: 'analysis', refId },
  ...traits,
})

async function request(
  { headers }: { headers: Record<string, string> },
  method: string,
  path: string,
  body?: object
) {
  const response = await fetch(at('telemetry', path), {
    method,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    body: body && JSON.stringify(body),
  })
  const answered: any = await response.json()
  return { status: response.status, headers: response.headers, body: answered }
}

const list = (query: string) => request(reader, 'GET', `/logs?${query}`)

test.group('Log lines over HTTP', () => {
  test('lines are written, and come back with their labels', async ({ assert, client }) => {
    const refId = newId()
    const { status, body } = await request(writer, 'POST', '/logs', aLog(refId))
    assert.equal(status, 201)
    assert.deepEqual(body.meta, {})
    assert.containsSubset(body.data, aLog(refId))
    assert.match(body.data.time, /^\d{4}-.*\.\d{3}Z$/)
    const response = await client
      .get(at('telemetry', `/logs?filter[refId]=${refId}&page[limit]=5`))
      .headers(reader.headers)
    response.assertStatus(200)
    assert.deepEqual(response.body(), {
      data: [body.data],
      meta: { total: 1, limit: 5, offset: 0 },
    })
  })

  test('lines are found by every spelling of a label', async ({ assert }) => {
    const refId = newId()
    await request(writer, 'POST', '/logs', aLog(refId))
    for (const query of [
      `filter[refId]=${refId}`,
      `filter[labels.refId]=${refId}`,
      `filter[labels][refId]=${refId}`,
      `filter=eq(labels.refId,'${refId}')`,
      `filter[refId]=${refId}&filter[level]=info`,
      `filter[refId]=${refId},another`,
      `filter[refId]=${refId}&filter[level]=!error`,
      `filter=and(eq(refId,'${refId}'),not(in(level,'warn','error')))`,
      `filter[refId]=${refId}&filter[time]=>2020-01-01T00:00:00Z`,
      `filter[refId]=${refId}&filter[time]=1577836800000000`,
    ]) {
      assert.equal((await list(query)).body.meta.total, 1, query)
    }
    for (const query of [
      `filter[refId]=${refId}&filter[level]=!info`,
      `filter[refId]=${refId.toUpperCase()}`,
      `filter[ref_id]=${refId}`,
      `filter[refId]=${refId}&filter[time]=<2020-01-01T00:00:00Z`,
    ]) {
      assert.equal((await list(query)).body.meta.total, 0, query)
    }
  })

  test('a label of the former spelling is found by that one only', async ({ assert }) => {
    const value = newId()
    await request(writer, 'POST', '/logs', aLog(value, { labels: { ref_type: value } }))
    assert.equal((await list(`filter[ref_type]=${value}`)).body.meta.total, 1)
    assert.equal((await list(`filter[refType]=${value}`)).body.meta.total, 0)
  })

  for (const query of [
    '',
    'page[limit]=5',
    'filter[time]=1577836800',
    'filter[a]=<5',
    'filter[a]=1&filter[bad key]=2',
    'filter[a]=1&filter[__proto__]=2',
    'filter[a]=1&page[offset]=250000',
    'filter[a]=1&filter[time]=soon',
    'filter[a]=1&filter[time]=~2020',
    'filter[lineKey]=1',
    "filter=size(a,'1')",
    'filter=bad(',
  ]) {
    test(`lines are not guessed at for ${JSON.stringify(query)}, to read or to remove`, async ({
      assert,
    }) => {
      for (const [who, method] of [
        [reader, 'GET'],
        [remover, 'DELETE'],
      ] as const) {
        const { status, body } = await request(who, method, `/logs?${query}`)
        assert.equal(status, 400, method)
        assert.equal(body.code, 'bad_request')
      }
    })
  }

  for (const [what, traits] of [
    ['a short message', { message: 'ab' }],
    ['a long message', { message: 'x'.repeat(4_097) }],
    ['a level of another kind', { level: 'fatal' }],
    ['no channel', { channel: undefined }],
    ['a label that is no text', { labels: { a: 1 } }],
    ['a label that begins with _', { labels: { _stream: 'x' } }],
    ['a label with a blank', { labels: { 'sp ace': 'x' } }],
    ['a label with letters of elsewhere', { labels: { größe: 'x' } }],
    ['a label that begins with a digit', { labels: { '1st': 'x' } }],
    ['a label of 129 letters', { labels: { ['x'.repeat(129)]: 'x' } }],
    ['a month that does not exist', { time: '2026-13-01T00:00:00Z' }],
    ['a day that does not exist', { time: '2026-02-30T00:00:00Z' }],
    ['an offset', { time: '2026-01-01T00:00:00+01:00' }],
  ] as const) {
    test(`with ${what} are refused`, async ({ assert }) => {
      const { status, body } = await request(writer, 'POST', '/logs', aLog(newId(), traits))
      assert.equal(status, 400)
      assert.lengthOf(body.issues, 1)
    })
  }

  test('lines are removed as they are listed, and no others', async ({ assert }) => {
    const refId = newId()
    for (const level of ['info', 'error', 'debug']) {
      await request(writer, 'POST', '/logs', aLog(refId, { level }))
    }
    const removed = await request(
      remover,
      'DELETE',
      `/logs?filter[refId]=${refId}&filter[level]=!error`
    )
    assert.equal(removed.status, 202)
    assert.isNull(removed.body)
    const { body } = await list(`filter[refId]=${refId}`)
    assert.deepEqual(
      body.data.map(({ level }: { level: string }) => level),
      ['error']
    )
    const since = String((Date.now() + 60_000) * 1_000)
    await request(remover, 'DELETE', `/logs?filter[refId]=${refId}&filter[time]=${since}`)
    assert.equal((await list(`filter[refId]=${refId}`)).body.meta.total, 1)
    const tenYearsAgo = String((Date.now() - 315_360_000_000) * 1_000)
    await request(remover, 'DELETE', `/logs?filter[refId]=${refId}&filter[time]=${tenYearsAgo}`)
    assert.equal((await list(`filter[refId]=${refId}`)).body.meta.total, 0)
  })

  test('lines are found by labels of any name, each by exactly its name', async ({ assert }) => {
    const run = newId()
    const names = ['with.dot', 'dot', 'a-b', 'constructor', 'toString', 'in', `x${'-'.repeat(127)}`]
    for (const name of names) {
      const { status } = await request(
        writer,
        'POST',
        '/logs',
        aLog('x', { labels: { run, [name]: '1' } })
      )
      assert.equal(status, 201, name)
    }
    for (const name of names) {
      const { body } = await list(`filter[run]=${run}&filter[${name}]=1`)
      assert.deepEqual(
        body.data.map(({ labels }: { labels: object }) => labels),
        [{ run, [name]: '1' }],
        name
      )
    }
  })

  test('lines are not removed by a query with more than a filter, or with an unknown filter', async ({
    assert,
  }) => {
    const run = newId()
    for (const code of ['c1', 'c2', 'c3']) {
      await request(writer, 'POST', '/logs', aLog('x', { labels: { run, constructor: code } }))
    }
    for (const also of [
      'filter[__proto__]=c3',
      'Filter[constructor]=c3',
      'page[limit]=1',
      `${'filter[run]=x&'.repeat(1_000)}filter[constructor]=c3`,
    ]) {
      const refused = await request(remover, 'DELETE', `/logs?filter[run]=${run}&${also}`)
      assert.equal(refused.status, 400, also)
    }
    assert.equal((await list(`filter[run]=${run}`)).body.meta.total, 3)
    const path = `/logs?filter[run]=${run}&filter[constructor]=c3`
    assert.equal((await request(remover, 'DELETE', path)).status, 202)
    const { body } = await list(`filter[run]=${run}`)
    assert.sameMembers(
      body.data.map(({ labels }: { labels: { constructor: string } }) => labels.constructor),
      ['c1', 'c2']
    )
  })

  test('lines need the permission for what is done with them', async ({ assert }) => {
    const query = '/logs?filter[refId]=x'
    assert.equal((await request(reader, 'POST', '/logs', aLog('x'))).status, 403)
    assert.equal((await request(writer, 'GET', query)).status, 403)
    assert.equal((await request(remover, 'GET', query)).status, 200)
    assert.equal((await request(reader, 'DELETE', query)).status, 403)
    assert.equal((await request({ headers: {} }, 'GET', query)).status, 401)
  })
})

const stream = async (query: string, lastEventId?: string) =>
  followed(at('telemetry', `/logs?${query}`), reader.headers, lastEventId)

const messages = (events: readonly StreamedEvent[]) => events.map(({ data }) => data.message)

test.group('The stream of log lines', () => {
  test('arrive as they are written, and after a cursor', async ({ assert }) => {
    const refId = newId()
    const write = (message: string) => request(writer, 'POST', '/logs', aLog(refId, { message }))
    await write('before')
    const first = await stream(`filter[refId]=${refId}`)
    assert.equal(first.response.status, 200)
    assert.match(first.response.headers.get('content-type')!, /^text\/event-stream/)
    for (const message of ['one', 'two', 'three']) {
      await write(message)
    }
    assert.deepEqual(messages(await first.until(3)), ['one', 'two', 'three'])
    await first.leave()
    await write('four')
    const second = await stream(`filter[refId]=${refId}`, first.events()[1]!.id)
    assert.deepEqual(messages(await second.until(2)), ['three', 'four'])
    await second.leave()
  })

  test('arrive until the token of the reader expires, and then end normally', async ({
    assert,
  }) => {
    await withEndingTokens(async (end) => {
      const refId = newId()
      const response = await fetch(at('telemetry', `/logs?filter[refId]=${refId}`), {
        headers: { ...reader.headers, accept: 'text/event-stream' },
      })
      await request(writer, 'POST', '/logs', aLog(refId))
      setTimeout(end, 100)
      const text = await response.text()
      assert.match(text, /^retry: \d+\n\n/)
      assert.match(text, /\n\n$/)
    })
  })

  test('streamed lines are filtered like a list', async ({ assert }) => {
    const headers = { ...reader.headers, accept: 'text/event-stream' }
    const refused = await fetch(at('telemetry', '/logs'), { headers })
    assert.equal(refused.status, 400)
    await refused.body?.cancel()
    const stranger = await fetch(at('telemetry', '/logs?filter[a]=1'), {
      headers: { ...writer.headers, accept: 'text/event-stream' },
    })
    assert.equal(stranger.status, 403)
    await stranger.body?.cancel()
  })
})

test.group('Log lines from the bus', (group) => {
  let ingest: RunningJob
  let standIn: VictoriaLogsStandIn
  let elsewhere: VictoriaLogsStore

  group.setup(async () => {
    const app = await boot()
    const logger = await app.container.make('logger')
    const bus = await app.container.make(Bus)
    const store = await app.container.make(LogStore)
    const owners = await app.container.make(LineOwners)
    ingest = await consumeLogLines({ bus, logger, store, owners })
    standIn = await VictoriaLogsStandIn.start({ deletion: 'off' })
    elsewhere = new VictoriaLogsStore({
      ingestor: standIn.url,
      querier: standIn.url,
      retentionDays: 7,
      report: () => {},
    })
    return async () => {
      await ingest.stop()
      await elsewhere.close()
      await standIn.stop()
    }
  })

  const send = async (data: Record<string, unknown>, type = 'write') => {
    const message = newMessage(commandRouting(COMMAND_QUEUES.telemetryLog), type, data)
    await (await (await boot()).container.make(Bus)).publish(message, message.id)
    return message
  }

  test('lines are stored, truncated to the limits, and corrected where possible', async ({
    assert,
  }) => {
    const refId = newId()
    await send({ ...aLog(refId), time: '2026-01-31T12:00:00.123Z' })
    await send({
      message: `y${'x'.repeat(10_000)}`,
      level: 'silly',
      labels: { refId, code: 7, deep: {}, _stream: 'a' },
    })
    const { body } = await list(`filter[refId]=${refId}`)
    assert.equal(body.meta.total, 2)
    const [second, first] = body.data
    assert.deepEqual(first, {
      ...aLog(refId),
      time: '2026-01-31T12:00:00.123Z',
      reportedBy: { id: null, realmId: null, type: 'bus' },
    })
    assert.lengthOf(second.message, 4_096)
    assert.containsSubset(second, { level: 'debug', channel: 'system', service: 'unknown' })
    assert.deepEqual(second.labels, { refId, code: '7' })
  })

  test('lines that cannot be parsed become dead letters', async ({ assert }) => {
    for (const [data, type] of [
      [{ level: 'info' }, 'write'],
      [aLog('x'), 'erase'],
    ] as const) {
      const { id } = await send(data as Record<string, unknown>, type)
      const { rows } = await pools
        .for(databaseUrl('telemetry'))
        .query('select reason from dead_letters where message_id = $1', [id])
      assert.match(rows[0]?.reason, /^malformed/)
    }
  })

  test('lines are refused to be removed, with the reason, where the store cannot', async ({
    assert,
  }) => {
    const app = await boot()
    const owners = await app.container.make(LineOwners)
    const audit = await app.container.make(SecurityAudit)
    app.container.swap(LogService, () => new LogService(elsewhere, owners, audit))
    try {
      const { status, body } = await request(remover, 'DELETE', '/logs?filter[refId]=x')
      assert.equal(status, 503)
      assert.equal(body.code, 'service_unavailable')
      assert.match(body.message, /-delete\.enable/)
      standIn.deletion = 'none'
      const older = await request(remover, 'DELETE', '/logs?filter[refId]=x')
      assert.match(older.body.message, /upgrade it/)
      standIn.fault = { to: /./, does: 'hangs up', times: 9 }
      const away = await request(remover, 'DELETE', '/logs?filter[refId]=x')
      assert.equal(away.status, 503)
      assert.match(away.body.message, /does not answer/)
    } finally {
      app.container.restore(LogService)
    }
  })
})
