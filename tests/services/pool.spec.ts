import { once } from 'node:events'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { appendFile, cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { get, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json, text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

import { test } from '@japa/runner'

import type { Readiness } from '#http/readiness'
import { HubProcesses } from '#tests/helpers/hub_processes'
import { Load } from '#tests/helpers/load'
import { startRabbitmq } from '#tests/services/servers/rabbitmq'
import type { RealServer } from '#tests/services/servers/real_server'
import { startRedis } from '#tests/services/servers/redis'
import { realTime } from '#tests/helpers/real_time'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

interface Refusal {
  code: string
  message: string
  issues: { path: string[]; message: string }[]
}

let redis: RealServer
let rabbitmq: RealServer

test.group('A pool of processes under load', (group) => {
  group.setup(async () => {
    ;[redis, rabbitmq] = await Promise.all([startRedis(), startRabbitmq()])
    return async () => void (await Promise.all([redis.stop(), rabbitmq.stop()]))
  })

  test('the pool of {$self} web processes: a killed one loses only the requests under way on it')
    .with(['2', '1'])
    .run(async ({ assert, cleanup }, POOL_WEB) => {
      const hub = await HubProcesses.start('pool', poolOf({ POOL_WEB }))
      cleanup(() => hub.remove())
      const load = new Load(`${hub.origin}/core/`)
      await hub.until('it answers', () => load.answered > 100)
      const victim = pidOf(hub, 'web-1')
      process.kill(victim, 'SIGSTOP')
      const newcomers = Array.from({ length: 20 }, () => request(`${hub.origin}/core/`))
      await realTime(200, 'the pool hands connections to a stopped process')
      const served = clientPorts(victim)
      process.kill(victim, 'SIGKILL')
      await hub.until('it was whole again', () => isReady(hub))
      await hub.until('it had answered a lot', () => load.answered > 500)
      const before = load.answered
      await hub.until('it goes on', () => load.answered > before + 200)
      const { lost } = await load.stop()

      assert.isNotEmpty(lost)
      assert.isEmpty(lost.filter(({ port }) => !served.has(port!)))
      assert.lengthOf(lost, new Set(lost.map(({ port }) => port)).size, 'one each at most')
      assert.notEqual(pidOf(hub, 'web-1'), victim)
      for (const { statusCode } of await Promise.all(newcomers)) {
        assert.equal(statusCode, 200, 'connections it had not taken went elsewhere')
      }
    })

  test('the pool fails no request while it is reloaded under load for ten seconds', async ({
    assert,
    cleanup,
  }) => {
    const hub = await HubProcesses.start('pool', poolOf())
    cleanup(() => hub.remove())
    const before = hub.members
    const load = new Load(`${hub.origin}/core/`)
    const end = performance.now() + 10_000
    for (let reload = 1; performance.now() < end || load.answered <= 2_000; reload++) {
      hub.signal('SIGHUP')
      await hub.until('it was reloaded', () => reloadsOf(hub) === reload)
    }
    const { lost } = await load.stop()

    assert.deepEqual(lost, [])
    assert.sameMembers(namesOf(hub), ['web-1', 'web-2', 'jobs-1'])
    assert.isEmpty(before.filter(([, pid]) => hub.processes.includes(pid)))
  })

  test('the pool reloads once more after requests during a reload, however many', async ({
    assert,
    cleanup,
  }) => {
    const hub = await HubProcesses.start('pool', poolOf({ POOL_WEB: '1', POOL_JOBS: '0' }))
    cleanup(() => hub.remove())
    for (let signals = 0; signals < 5; signals++) {
      hub.signal('SIGHUP')
      await realTime(50, 'signals that come at once are one')
    }
    await hub.until('it was reloaded twice', () => reloadsOf(hub) === 2)
    await realTime(3_000, 'a third reload would come in it')

    assert.equal(reloadsOf(hub), 2)
  })

  test('the pool takes over a changed .env at a reload, and stays as it is where that has a mistake', async ({
    assert,
    cleanup,
  }) => {
    const hub = await HubProcesses.start('pool', {
      ...poolOf({ RATE_LIMIT_ANONYMOUS: undefined }),
      files: { '.env': 'RATE_LIMIT_ANONYMOUS=55' },
    })
    cleanup(() => hub.remove())
    const limit = async () => (await request(`${hub.origin}/core/`)).headers['ratelimit-limit']
    assert.equal(await limit(), '55')

    await writeFile(join(hub.folder, '.env'), 'RATE_LIMIT_ANONYMOUS=77')
    hub.signal('SIGHUP')
    await hub.until('it was reloaded', () => reloadsOf(hub) === 1)
    assert.equal(await limit(), '77')

    await writeFile(join(hub.folder, '.env'), 'RATE_LIMIT_ANONYMOUS=many')
    const before = hub.members
    hub.signal('SIGHUP')
    await hub.until('the reload failed', () => hub.output.includes('the reload failed'))
    assert.match(hub.output, /RATE_LIMIT_ANONYMOUS: .*many/)
    assert.deepEqual(hub.members, before)
    assert.isTrue(await isReady(hub))
  })

  test('SIGTERM lets requests under way be answered, refuses new ones and ends everything', async ({
    assert,
    cleanup,
  }) => {
    const hub = await HubProcesses.start('pool', poolOf())
    cleanup(() => hub.remove())
    const load = new Load(`${hub.origin}/core/`)
    await hub.until('it answers', () => load.answered > 50)
    const resume = await hub.pauseDatabase()
    const underWay = request(`${hub.origin}/core/health/ready`)
    await realTime(200, 'nothing shows that a request waits for the database')
    hub.signal('SIGTERM')
    const answer = await underWay
    resume()

    assert.equal(answer.statusCode, 503, 'the database gave no answer')
    assert.equal(answer.headers.connection, 'close')
    assert.equal(await hub.exit, 0)
    const { lost } = await load.stop()
    assert.isEmpty(lost.filter(({ reason }) => !reason.includes('ECONNREFUSED')))
    await hub.gone()
  })

  test('readiness of all processes goes first after SIGTERM, and new connections are still served', async ({
    assert,
    cleanup,
  }) => {
    const hub = await HubProcesses.start('pool', poolOf({ DRAIN_DELAY_SECONDS: '300' }))
    cleanup(() => hub.remove())
    hub.signal('SIGTERM')
    await hub.until('it was not ready', async () => !(await isReady(hub)))
    const statuses = (path: string) =>
      Promise.all(
        Array.from({ length: 8 }, async () => {
          const response = await request(`${hub.origin}${path}`)
          response.resume()
          return response.statusCode
        })
      )
    await hub.until('each process was told', async () =>
      (await statuses('/core/health/ready')).every((status) => status === 503)
    )
    assert.deepEqual(new Set(await statuses('/core/')), new Set([200]))
    assert.lengthOf(hub.members, 3)
    await realTime(1_100, 'a signal that is repeated within a second is one')
    hub.signal('SIGTERM')
    assert.equal(await hub.exit, 130)
    await hub.gone()
  })

  test('a delay before the drain ends in order, with every process', async ({
    assert,
    cleanup,
  }) => {
    const hub = await HubProcesses.start('pool', poolOf({ DRAIN_DELAY_SECONDS: '1' }))
    cleanup(() => hub.remove())
    hub.signal('SIGTERM')

    assert.equal(await hub.exit, 0)
    assert.notInclude(hub.output, '"level":50')
    await hub.gone()
  })

  test('Ctrl-C, which every process receives, ends them in order and none is missed', async ({
    assert,
    cleanup,
  }) => {
    const hub = await HubProcesses.start('pool', poolOf())
    cleanup(() => hub.remove())
    hub.pressCtrlC()

    assert.equal(await hub.exit, 0)
    assert.notInclude(hub.output, '"level":50')
    await hub.gone()
  })

  test('a second Ctrl-C ends everything at once', async ({ assert, cleanup }) => {
    const hub = await HubProcesses.start('pool', poolOf())
    cleanup(() => hub.remove())
    const resume = await hub.pauseDatabase()
    const cutOff = assert.rejects(() => request(`${hub.origin}/core/health/ready`))
    await realTime(200, 'nothing shows that a request waits for the database')
    hub.signal('SIGINT')
    await realTime(1_100, 'a terminal may send one Ctrl-C twice within a second')
    hub.signal('SIGINT')

    assert.equal(await hub.exit, 130)
    await cutOff
    resume()
    await hub.gone()
  })

  test('nothing outlives a primary that is killed', async ({ assert, cleanup }) => {
    const hub = await HubProcesses.start('pool', poolOf())
    cleanup(() => hub.remove())
    assert.lengthOf(hub.members, 3)
    hub.signal('SIGKILL')

    assert.equal(await hub.exit, 'SIGKILL')
    await hub.gone()
  })

  test('tables that cannot be made end the start, with the reason of the process that tried', async ({
    assert,
    cleanup,
  }) => {
    const hub = await HubProcesses.launch('pool', {
      ...poolOf(),
      files: { '.data/app.key': 'short' },
    })
    cleanup(() => hub.remove())

    assert.equal(await hub.exit, 1)
    assert.match(hub.output, /^[^\n]*\n\.data\/app\.key contains no usable key\. .*\n$/)
    await hub.gone()
  })

  test('a process that does not get ready ends the first start, with its reason', async ({
    assert,
    cleanup,
  }) => {
    const root = await mkdtemp(join(tmpdir(), 'hub-broken-'))
    cleanup(() => rm(root, { recursive: true, force: true }))
    await cp(join(ROOT, 'build'), join(root, 'build'), { recursive: true })
    await symlink(join(ROOT, 'node_modules'), join(root, 'node_modules'))
    await appendFile(join(root, 'build/start/routes.js'), '\nthrow new Error("lost my way")')
    const hub = await HubProcesses.launch('pool', { ...poolOf(), root })
    cleanup(() => hub.remove())

    assert.equal(await hub.exit, 1)
    assert.lengthOf(hub.output.match(/^Error: lost my way$/gm)!, 1, 'it is said once')
    await hub.gone()
  })

  test('the pool names the process that is not ready, and why', async ({ assert, cleanup }) => {
    const hub = await HubProcesses.start('pool', poolOf())
    cleanup(() => hub.remove())
    assert.isTrue(await isReady(hub))

    process.kill(pidOf(hub, 'jobs-1'), 'SIGKILL')
    await hub.until('that was noticed', async () => !(await isReady(hub)))
    const killed = await request(`${hub.admin}/health/ready`)
    assert.equal(killed.statusCode, 503)
    const { code, message, issues } = (await json(killed)) as Refusal
    assert.deepInclude(
      { code, message },
      { code: 'service_unavailable', message: 'Not ready: jobs-1' }
    )
    assert.deepEqual(issues[0]!.path, ['jobs-1'])
    assert.equal(issues[0]!.message, 'is started again: jobs-1 was ended by SIGKILL')
    await hub.until('it was whole again', () => isReady(hub))

    await redis.pause()
    cleanup(() => redis.resume())
    await hub.until('each of its processes was degraded', async () => {
      const { degraded = [] } = (await json(
        await request(`${hub.admin}/health/ready`)
      )) as Readiness
      const silent = degraded.filter(({ reason }) => reason === 'redis: no answer within 2 s')
      return ['web-1', 'web-2', 'jobs-1'].every((name) => silent.some((part) => part.name === name))
    })
    assert.isTrue(await isReady(hub), 'Requests do not need Redis')
  })

  test('metrics of every process are answered while processes come and go', async ({
    assert,
    cleanup,
  }) => {
    const hub = await HubProcesses.start('pool', poolOf())
    cleanup(() => hub.remove())
    for (let count = 0; count < 4; count++) {
      await request(`${hub.origin}/core/`)
    }
    const metrics = async () => {
      const response = await request(`${hub.admin}/metrics`)
      assert.equal(response.statusCode, 200)
      return text(response)
    }
    const whole = await metrics()
    for (const name of ['primary', 'web-1', 'web-2', 'jobs-1']) {
      assert.match(whole, new RegExp(`^process_resident_memory_bytes{process="${name}"} \\d`, 'm'))
    }
    assert.equal(requestsCounted(whole), 4)

    process.kill(pidOf(hub, 'web-1'), 'SIGKILL')
    await hub.until('that was noticed', async () =>
      (await metrics()).includes('state="restarting"')
    )
    await hub.until('it was whole again', async () => {
      return (await metrics()).includes(
        'pool_processes{kind="web",state="ready",process="primary"} 2'
      )
    })
    const after = await metrics()
    assert.match(after, /^pool_restarts_total{kind="web",process="primary"} 1$/m)
    assert.match(after, /^pool_restarts_total{kind="jobs",process="primary"} 0$/m)
  })
})

function poolOf(variables: Record<string, string | undefined> = {}) {
  return {
    variables: {
      POOL_WEB: '2',
      POOL_JOBS: '1',
      REDIS_URL: redis.url,
      AMQP_URL: rabbitmq.url,
      LOGSTORE_URL: 'http://127.0.0.1:9',
      ...variables,
    },
  }
}

async function request(url: string): Promise<IncomingMessage> {
  const [response] = (await once(get(url), 'response')) as [IncomingMessage]
  return response
}

async function isReady(hub: HubProcesses): Promise<boolean> {
  const response = await request(`${hub.admin}/health/ready`)
  response.resume()
  return response.statusCode === 200
}

function reloadsOf(hub: HubProcesses): number {
  return hub.output.split('every process was replaced').length - 1
}

function namesOf(hub: HubProcesses): string[] {
  return hub.members.map(([name]) => name)
}

function pidOf(hub: HubProcesses, name: string): number {
  return hub.members.find(([member]) => member === name)![1]
}

/** Requests of the core surface that all processes together have counted. */
function requestsCounted(metrics: string): number {
  const counts = metrics.matchAll(
    /^http_request_duration_seconds_count{.*surface="core".*} (\d+)$/gm
  )
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0)
}

/** The ports on the clients' side of the connections that a process has. */
function clientPorts(pid: number): Set<number> {
  const files = readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`))
  const sockets = readFileSync(`/proc/${pid}/net/tcp`, 'utf8').trim().split('\n').slice(1)
  const own = sockets
    .map((row) => row.trim().split(/\s+/))
    .filter((fields) => files.includes(`socket:[${fields[9]}]`))
  return new Set(own.map((fields) => Number.parseInt(fields[2]!.split(':')[1]!, 16)))
}
