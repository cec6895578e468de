import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'

import { test } from '@japa/runner'
import pg from 'pg'

import { HubProcesses } from '#tests/helpers/hub_processes'
import { startPostgres } from '#tests/services/servers/postgres'
import { realTime } from '#tests/helpers/real_time'

const ADMIN = { username: 'admin', password: 'start123' }
const ERROR_LINE = /"level":(50|60)|\b(ERROR|FATAL)\b/
const RECORD = '9b66b273-a6d8-4dea-b6d6-6bfd065423c7'

test.group('What callers do wrong', (group) => {
  let hub: HubProcesses
  let token: string
  let bucket: string

  group.setup(async () => {
    hub = await HubProcesses.start('server', { variables: { LOG_LEVEL: 'info' } })
    token = await logIn(hub.origin, ADMIN)
    bucket = (await created('/storage/buckets', { name: 'hostile' })).id
    return () => hub.remove()
  })
  group.tap((one) => one.timeout(600_000))

  test('an invalid request is not an error in the log: {reason}')
    .with([
      {
        reason: 'texts that are no HTTP',
        send: () => raw('\x16\x03\x01\x02\x00\x01nonsense\r\n\r\n'),
      },
      { reason: 'a head that breaks off', send: () => raw('POST /core/nodes HTTP/1.1\r\nhost: x') },
      {
        reason: 'two lengths of one body',
        send: () => raw(head('Content-Length: 3\r\nContent-Length: 4')),
      },
      { reason: 'a head that is too long', send: () => raw(head(`x: ${'a'.repeat(90_000)}`)) },
      { reason: 'a broken chunk', send: () => raw(`${head('Transfer-Encoding: chunked')}zz\r\nx`) },
      {
        reason: 'a body that breaks off',
        send: () => raw(`${head('Content-Length: 900')}{"name":`),
      },
      { reason: 'no JSON', send: () => post('/core/nodes', '{"name":') },
      { reason: 'JSON that is no object', send: () => post('/core/nodes', '[1]') },
      { reason: 'JSON nested very deep', send: () => post('/core/nodes', '['.repeat(5_000)) },
      {
        reason: 'bytes that are no UTF-8',
        send: () => post('/core/nodes', Buffer.from([0x7b, 0xff, 0xfe])),
      },
      { reason: 'a record that nobody has', send: () => get(`/core/nodes/${RECORD}`) },
      { reason: 'an id that is none', send: () => get('/core/nodes/%00%ff') },
      { reason: 'a path that cannot be decoded', send: () => get('/core/%E0%A4%A') },
      { reason: 'a filter without a grammar', send: () => get('/core/nodes?filter=and(((') },
      {
        reason: 'an id that names nothing',
        send: () => post('/core/analyses', `{"projectId":"${RECORD}"}`),
      },
      {
        reason: 'a wrong password',
        send: () => logIn(hub.origin, { ...ADMIN, password: 'wrong' }),
      },
      { reason: 'a bad token', send: () => get('/core/nodes', 'not-a-token') },
      {
        reason: 'an unknown encoding',
        send: () => post('/core/nodes', '{}', { 'content-encoding': 'snappy' }),
      },
      {
        reason: 'a truncated gzip body',
        send: () =>
          post('/core/nodes', Buffer.from([0x1f, 0x8b, 8]), { 'content-encoding': 'gzip' }),
      },
      {
        reason: 'a form without parts',
        send: () => post(uploads(), 'x', { 'content-type': 'multipart/form-data' }),
      },
      { reason: 'a form that breaks off', send: () => raw(brokenUpload()) },
      { reason: 'an upload whose sender goes', send: () => raw(abortedUpload()) },
      {
        reason: 'an upload that is resumed where there is none',
        send: () => post(`/storage/buckets/${bucket}/resumable`, 'x'),
      },
      {
        reason: 'a socket with nonsense in it',
        send: () =>
          raw(
            `GET /core/socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: x\r\n\r\n`
          ),
      },
      {
        reason: 'an upgrade to nothing',
        send: () =>
          raw('GET /core/ HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n'),
      },
      {
        reason: 'a reader who leaves',
        send: () => raw(head('', 'GET /core/docs/openapi.json'), 0),
      },
      {
        reason: 'a method that is none',
        send: () => raw('BREW /core/ HTTP/1.1\r\nhost: x\r\n\r\n'),
      },
    ])
    .run(async ({ assert }, { send }) => {
      const before = hub.output.length
      await Promise.all([send(), send()])
      await realTime(150, 'the program writes its log by itself')
      const reported = hub.output.slice(before)
      assert.isUndefined(reported.split('\n').find((line) => ERROR_LINE.test(line)))
      assert.equal((await get('/core/')).status, 200)
    })

  test('an invalid request is in the audit trail, also where the program is stopped before the minute of gathering is over', async ({
    assert,
    cleanup,
  }) => {
    const postgres = await startPostgres()
    cleanup(() => postgres.stop())
    const stopped = await HubProcesses.start('server', {
      variables: { DATABASE_URL: postgres.url },
    })
    cleanup(() => stopped.remove())
    const ask = (path: string, bearer: string, body: object) =>
      fetch(`${stopped.origin}${path}`, {
        method: 'POST',
        headers: { 'authorization': `Bearer ${bearer}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    const guest = { username: 'guest', password: `secret-${randomUUID()}` }
    const admin = await logIn(stopped.origin, ADMIN)
    await ask('/auth/users', admin, { name: guest.username, password: guest.password })
    const theirs = await logIn(stopped.origin, guest)
    for (let count = 0; count < 3; count++) {
      const { status } = await ask('/auth/roles', theirs, { name: 'mine' })
      assert.equal(status, 403)
    }
    stopped.signal('SIGTERM')
    assert.equal(await stopped.exit, 0)
    assert.include(await audited(postgres.url), '"count":3')
  })

  const uploads = () => `/storage/buckets/${bucket}/upload`
  const head = (header: string, line = 'POST /core/nodes') =>
    `${line} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\n${header && `${header}\r\n`}\r\n`
  const part = '--b\r\ncontent-disposition: form-data; name="a"; filename="a.txt"\r\n\r\nbytes'
  const upload = (header: string) =>
    `POST ${uploads()} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\ncontent-type: multipart/form-data; boundary=b\r\n${header}\r\n\r\n${part}`
  const brokenUpload = () => upload(`content-length: ${part.length}`)
  const abortedUpload = () => upload('content-length: 100000')

  async function raw(text: string, afterMs = 200): Promise<void> {
    const { hostname, port } = new URL(hub.origin)
    const socket = connect(Number(port), hostname).on('error', () => {})
    await once(socket, 'connect')
    socket.write(text)
    await realTime(afterMs, 'a client leaves when it wants to')
    socket.resetAndDestroy()
  }

  function post(path: string, body: string | Buffer, headers: Record<string, string> = {}) {
    const { 'content-type': type = 'application/json' } = headers
    return fetch(`${hub.origin}${path}`, {
      method: 'POST',
      headers: { ...headers, 'authorization': `Bearer ${token}`, 'content-type': type },
      body: new Uint8Array(Buffer.from(body)),
    })
  }

  function get(path: string, bearer = token) {
    return fetch(`${hub.origin}${path}`, { headers: { authorization: `Bearer ${bearer}` } })
  }

  async function created(path: string, body: object): Promise<{ id: string }> {
    const answer = await post(path, JSON.stringify(body))
    const { data, ...flat } = (await answer.json()) as any
    if (answer.status !== 201) {
      throw new Error(JSON.stringify(flat))
    }
    return data ?? flat
  }
})

async function logIn(origin: string, { username, password }: typeof ADMIN): Promise<string> {
  const form = { grant_type: 'password', username, password }
  const answer = await fetch(`${origin}/auth/token`, {
    method: 'POST',
    body: new URLSearchParams(form),
  })
  return ((await answer.json()) as { access_token: string }).access_token
}

/** The audit events that are kept, and those that are on their way to where they are kept. */
async function audited(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const kept = await client.query('select * from events')
    const underway = await client.query('select * from outbox')
    return JSON.stringify([kept.rows, underway.rows]).replaceAll('\\"', '"')
  } finally {
    await client.end()
  }
}
