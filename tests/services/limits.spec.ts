import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'

import { test } from '@japa/runner'

import { HubProcesses } from '#tests/helpers/hub_processes'
import { startRabbitmq } from '#tests/services/servers/rabbitmq'
import { startRedis } from '#tests/services/servers/redis'
import { realTime } from '#tests/helpers/real_time'

const VARIABLES = {
  HEADERS_MAX_SECONDS: '2',
  REQUEST_MAX_SECONDS: '3',
  CONNECTIONS_MAX_PER_ADDRESS: '12',
  TRUSTED_PROXIES: 'none',
  POOL_WEB: '2',
  SURFACES: 'core,identity',
  JOBS: 'none',
}

/** Sends the beginning of something and then byte by byte; answers what came back, and after how long the end came. */
async function trickle(origin: string, beginning: string) {
  const startedAt = performance.now()
  const { hostname, port } = new URL(origin)
  const socket = connect(Number(port), hostname)
  let answer = ''
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString())).on('error', () => {})
  await once(socket, 'connect')
  socket.write(beginning)
  const more = setInterval(() => socket.write('a'), 200)
  await Promise.race([once(socket, 'close'), realTime(15_000, 'longer than any limit set here')])
  clearInterval(more)
  socket.destroy()
  return { answer, seconds: (performance.now() - startedAt) / 1_000 }
}

function open(origin: string): Socket {
  const { hostname, port } = new URL(origin)
  return connect(Number(port), hostname).on('error', () => {})
}

/** Opens as many connections as an address may have, and resets them before a process of the pool can look at them. */
async function resetOnTheirWay(hub: HubProcesses, count: number): Promise<void> {
  hub.members.forEach(([, pid]) => process.kill(pid, 'SIGSTOP'))
  const sockets = Array.from({ length: count }, () => open(hub.origin))
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  // Is refused once all the others have been accepted.
  await once(open(hub.origin).resume(), 'close')
  sockets.forEach((socket) => socket.resetAndDestroy())
  // One from before that still counts has had another refused already.
  await Promise.all(sockets.map((socket) => socket.closed || once(socket, 'close')))
  hub.members.forEach(([, pid]) => process.kill(pid, 'SIGCONT'))
}

/** Whether the program answers, over a connection that does not stay and so counts no longer. */
async function answers(origin: string): Promise<boolean> {
  const response = await fetch(`${origin}/core/`, { headers: { connection: 'close' } })
  await response.arrayBuffer()
  return response.status === 200
}

/** How many of so many connections are still there after a moment. */
async function holding(origin: string, count: number): Promise<number> {
  const sockets = Array.from({ length: count }, () => open(origin))
  await realTime(700, 'processes close what is too much by themselves')
  const kept = sockets.filter((socket) => socket.readyState === 'open').length
  sockets.forEach((socket) => socket.destroy())
  await realTime(500, 'processes report the end of connections by themselves')
  return kept
}

/**
 * How many connections are kept where more are opened than may be. A connection that was closed counts until its process has
 * said so, hence the attempts; at none of them are more kept.
 */
async function mostKept(origin: string, most: number): Promise<number> {
  let kept = 0
  for (let attempt = 0; attempt < 10 && kept < most; attempt++) {
    kept = Math.max(kept, await holding(origin, 2 * most + 6))
  }
  return kept
}

const HEAD = 'POST /auth/token HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n'
const BODY = `${HEAD}content-length: 5000\r\n\r\n{"grant_type":"`
const UNREAD = 'GET /core/ HTTP/1.1\r\nhost: x\r\ncontent-length: 5000\r\n\r\nx'

for (const program of ['server', 'pool'] as const) {
  test.group(`Limits of the ${program}`, (group) => {
    let hub: HubProcesses
    group.setup(async () => {
      const [redis, rabbit] = await Promise.all([startRedis(), startRabbitmq()])
      const shared = { REDIS_URL: redis.url, AMQP_URL: rabbit.url }
      hub = await HubProcesses.start(program, { variables: { ...VARIABLES, ...shared } })
      return async () => {
        await hub.remove()
        await Promise.all([redis.stop(), rabbit.stop()])
      }
    })
    group.each.timeout(600_000)

    test('a slow head, a slow body and an unread one end in time', async ({ assert }) => {
      const [head, body, unread, admin] = await Promise.all([
        trickle(hub.origin, `${HEAD}x-slow: `),
        trickle(hub.origin, BODY),
        trickle(hub.origin, UNREAD),
        trickle(hub.admin, 'GET /metrics HTTP/1.1\r\nhost: x\r\nx-slow: '),
      ])
      assert.match(head.answer, /^HTTP\/1\.1 408 /)
      assert.match(body.answer, /^HTTP\/1\.1 408 /)
      assert.include(body.answer, '"error":"invalid_request"')
      assert.match(unread.answer, /^HTTP\/1\.1 200 /)
      assert.match(admin.answer, /^HTTP\/1\.1 408 /)
      for (const { seconds } of [head, body, unread, admin]) {
        assert.isBelow(seconds, 8)
      }
      const metrics = await (await fetch(`${hub.admin}/metrics`)).text()
      assert.match(metrics, /http_requests_timed_out_total\{[^}]*part="headers"/)
      assert.match(metrics, /http_requests_timed_out_total\{[^}]*part="body"/)
    })

    test('the connections of one address are limited over all processes', async ({ assert }) => {
      assert.equal(await mostKept(hub.origin, 12), 12)
      assert.isTrue(await answers(hub.origin))
      const metrics = await (await fetch(`${hub.admin}/metrics`)).text()
      assert.match(metrics, /http_connections_refused_total\{[^}]*limit="address"[^}]*\} [1-9]/)
    })

    test('connections that were reset do not count against their address', async ({ assert }) => {
      await resetOnTheirWay(hub, 12)
      assert.equal(await mostKept(hub.origin, 12), 12)
    })
  })
}

for (const program of ['server', 'pool'] as const) {
  test(`the ${program} limits its connections in total, however many its processes are`, async ({
    assert,
    cleanup,
  }) => {
    const [redis, rabbit] = await Promise.all([startRedis(), startRabbitmq()])
    cleanup(() => Promise.all([redis.stop(), rabbit.stop()]).then(() => {}))
    const shared = { REDIS_URL: redis.url, AMQP_URL: rabbit.url }
    const limits = { CONNECTIONS_MAX: '14', CONNECTIONS_MAX_PER_ADDRESS: '0', POOL_WEB: '3' }
    const variables = { ...VARIABLES, ...limits, ...shared }
    const hub = await HubProcesses.start(program, { variables })
    cleanup(() => hub.remove())

    assert.equal(await mostKept(hub.origin, 14), 14)
    assert.isTrue(await answers(hub.origin))
    const metrics = await (await fetch(`${hub.admin}/metrics`)).text()
    assert.match(metrics, /http_connections_refused_total\{[^}]*limit="all"[^}]*\} [1-9]/)
  }).timeout(600_000)
}

test.group('The admin port', () => {
  const elsewhere = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address

  const statusAt = async (port: string, path: string) => {
    const answer = await fetch(`http://${elsewhere}:${port}${path}`).catch(() => undefined)
    return answer?.status
  }

  test('the port is reached from this machine only, also where the platform listens everywhere', async ({
    assert,
    cleanup,
  }) => {
    const hub = await HubProcesses.start('server', { variables: { HOST: '0.0.0.0' } })
    cleanup(() => hub.remove())
    assert.equal((await fetch(`${hub.admin}/metrics`)).status, 200)
    assert.isUndefined(await statusAt(new URL(hub.admin).port, '/metrics'))
  })
    .skip(elsewhere === undefined, 'this machine has no other address')
    .timeout(240_000)

  test('the port answers health elsewhere where that is configured, and no metrics', async ({
    assert,
    cleanup,
  }) => {
    for (const HEALTH_HOST of ['0.0.0.0', elsewhere!]) {
      const hub = await HubProcesses.start('server', { variables: { HEALTH_HOST } })
      cleanup(() => hub.remove())
      const { port } = new URL(hub.admin)
      assert.equal(await statusAt(port, '/health/live'), 200)
      assert.equal(await statusAt(port, '/metrics'), 404)
      assert.equal((await fetch(`${hub.admin}/metrics`)).status, 200)
    }
  })
    .skip(elsewhere === undefined, 'this machine has no other address')
    .timeout(240_000)
})
