import { once } from 'node:events'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { get, type IncomingMessage } from 'node:http'
import { json, text } from 'node:stream/consumers'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

import { test } from '@japa/runner'

import { HubProcesses } from '#tests/helpers/hub_processes'
import { Load } from '#tests/helpers/load'
import { startRabbitmq } from '#tests/services/servers/rabbitmq'
import type { RealServer } from '#tests/services/servers/real_server'
import { startRedis } from '#tests/services/servers/redis'

interface Envelope {
  statusCode: number
  code: string
  message: string
  issues: { path: string[]; message: string }[]
}

let redis: RealServer
let rabbitmq: RealServer

function startPool(variables: Record<string, string> = {}): Promise<HubProcesses> {
  return HubProcesses.start('pool', {
    POOL_WEB: '2',
    POOL_JOBS: '1',
    REDIS_URL: redis.url,
    AMQP_URL: rabbitmq.url,
    LOGSTORE_URL: 'http://127.0.0.1:9',
    ...variables,
  })
}

async function ask(url: string): Promise<IncomingMessage> {
  const [response] = (await once(get(url), 'response')) as [IncomingMessage]
  return response
}

async function isReady(hub: HubProcesses): Promise<boolean> {
  const response = await ask(`${hub.admin}/health/ready`)
  response.resume()
  return response.statusCode === 200
}

function pidOf(hub: HubProcesses, name: string): number {
  return hub.members.find(([member]) => member === name)![1]
}

/** The ports on the clients' side of the connections that a process has. */
function clientPorts(pid: number): Set<number> {
  const descriptors = readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`))
  const rows = readFileSync(`/proc/${pid}/net/tcp`, 'utf8').trim().split('\n').slice(1)
  const own = rows
    .map((row) => row.trim().split(/\s+/))
    .filter((fields) => descriptors.includes(`socket:[${fields[9]}]`))
  return new Set(own.map((fields) => Number.parseInt(fields[2]!.split(':')[1]!, 16)))
}

test.group('A pool with its servers', (group) => {
  group.setup(async () => {
    ;[redis, rabbitmq] = await Promise.all([startRedis(), startRabbitmq()])
    return () => Promise.all([redis.stop(), rabbitmq.stop()])
  })

  test('a killed web process loses only the requests under way on it, and is started again', async ({
    assert,
    cleanup,
  }) => {
    const hub = await startPool()
    cleanup(() => hub.remove())
    const load = new Load(`${hub.origin}/core/`)
    await delay(1_000)
    const victim = pidOf(hub, 'web-1')
    process.kill(victim, 'SIGSTOP')
    const served = clientPorts(victim)
    process.kill(victim, 'SIGKILL')
    await hub.until('it was whole again', () => isReady(hub))
    await delay(1_000)
    const { answered, lost, slowest } = await load.stop()

    assert.isAbove(answered, 1_000)
    assert.isNotEmpty(lost)
    assert.isEmpty(lost.filter(({ port }) => !served.has(port!)))
    assert.lengthOf(new Set(lost.map(({ port }) => port)), lost.length, 'one each at most')
    assert.isBelow(slowest, 2_000)
    assert.notEqual(pidOf(hub, 'web-1'), victim)
  })

  test('a reload for ten seconds under load fails no request', async ({ assert, cleanup }) => {
    const hub = await startPool()
    cleanup(() => hub.remove())
    const before = hub.members
    const load = new Load(`${hub.origin}/core/`)
    const until = performance.now() + 10_000
    let reloads = 0
    while (performance.now() < until) {
      hub.signal('SIGHUP')
      reloads++
      await hub.until('it was reloaded', () => reloadsOf(hub) === reloads)
    }
    const { answered, lost, slowest } = await load.stop()

    assert.deepEqual(lost, [])
    assert.isAbove(answered, 5_000)
    assert.isBelow(slowest, 2_000)
    const after = hub.members
    assert.sameMembers(after.map(nameOf), ['web-1', 'web-2', 'jobs-1'])
    assert.notSameMembers(after.map(pidIn), before.map(pidIn))
  })
})
