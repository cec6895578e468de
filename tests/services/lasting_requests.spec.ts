import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'

import { test } from '@japa/runner'
import { io } from 'socket.io-client'

import { HubProcesses } from '#tests/helpers/hub_processes'
import { connected } from '#tests/helpers/realtime/sockets'
import { realTime } from '#tests/helpers/real_time'

/** Longer than each of the limits below, together. */
const LASTING_MS = 5_000
const EXCEEDED = 'the limits of the program are exceeded'
const LIMITS = { HEADERS_MAX_SECONDS: '1', REQUEST_MAX_SECONDS: '2' }
const FILE_BYTES = 32 * 2 ** 20

test.group('Requests that may last', (group) => {
  let hub: HubProcesses
  let headers: { authorization: string }
  let bucket: string

  group.setup(async () => {
    hub = await HubProcesses.start('server', { variables: LIMITS })
    const form = { grant_type: 'password', username: 'admin', password: 'start123' }
    const body = new URLSearchParams(form)
    const signedIn = await fetch(`${hub.origin}/auth/token`, { method: 'POST', body })
    headers = { authorization: `Bearer ${(await contentOf(signedIn)).access_token}` }
    const made = await fetch(`${hub.origin}/storage/buckets`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'lasting' }),
    })
    bucket = `${hub.origin}/storage/buckets/${(await contentOf(made)).data.id}`
    return () => hub.remove()
  })
  group.each.timeout(600_000)

  test('lasting requests are those of sockets, long polls included', async ({
    assert,
    cleanup,
  }) => {
    const sockets = ['polling', 'websocket'].map((transport) => {
      const [, token] = headers.authorization.split(' ')
      const socket = io(`${hub.origin}/resources`, {
        path: '/core/socket.io',
        transports: [transport],
        auth: { token },
        forceNew: true,
        reconnection: false,
      })
      cleanup(() => void socket.disconnect())
      return socket
    })
    await Promise.all(sockets.map(connected))
    const ended = sockets.map((socket) => new Promise((end) => socket.once('disconnect', end)))
    const lasting = realTime(LASTING_MS, EXCEEDED).then(() => 'connected')
    assert.equal(await Promise.race([...ended, lasting]), 'connected')
  })

  test('lasting requests are uploads that move', async ({ assert }) => {
    const upload = request(`${bucket}/upload`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'multipart/form-data; boundary=piece' },
    })
    const answered = once(upload, 'response') as Promise<[IncomingMessage]>
    upload.write('--piece\r\ncontent-disposition: form-data; name="a"; filename="a"\r\n\r\n')
    for (const startedAt = performance.now(); performance.now() - startedAt < LASTING_MS;) {
      upload.write('a')
      await realTime(200, EXCEEDED)
    }
    upload.end('\r\n--piece--\r\n')
    const [answer] = await answered
    assert.equal(answer.statusCode, 201, String(await buffer(answer)))
  })

  test('lasting requests are streams that are read slowly', async ({ assert }) => {
    const form = new FormData()
    form.append('large', new Blob([new Uint8Array(FILE_BYTES)]), 'large')
    const uploaded = await fetch(`${bucket}/upload`, { method: 'POST', headers, body: form })
    assert.equal(uploaded.status, 201)
    const requested = request(`${bucket}/stream`, { headers }).end()
    const [answer] = (await once(requested, 'response')) as [IncomingMessage]
    answer.pause()
    await realTime(LASTING_MS, EXCEEDED)
    assert.isAbove((await buffer(answer)).length, FILE_BYTES)
  })
})

const contentOf = (answer: Response) => answer.json() as Promise<any>
