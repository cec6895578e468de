import { execFile } from 'node:child_process'
import { copyFile, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { test } from '@japa/runner'

import { builtProgram } from '#tests/helpers/built_program'
import { eventually } from '#tests/helpers/eventually'
import { Load } from '#tests/helpers/load'
import { prepareData } from '#tests/helpers/prepared_data'
import { ServiceManager } from '#tests/helpers/service_manager'
import { shellBlocks } from '#tests/helpers/shell_blocks'
import { temporaryFolder } from '#tests/helpers/temporary_folder'
import { freePort } from '#tests/services/servers/free_port'
import { ensurePackages, PACKAGES } from '#tests/services/servers/packages'
import { startPostgres } from '#tests/services/servers/postgres'
import { startRabbitmq } from '#tests/services/servers/rabbitmq'
import type { RealServer } from '#tests/services/servers/real_server'
import { logIn } from '#tests/services/servers/served_pool'
import { startRedis } from '#tests/services/servers/redis'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const UNIT = join(ROOT, 'deploy/systemd/analysis-hub.service')
const UNITS = dirname(UNIT)
const NODE = join(ROOT, 'node_modules/.bin/node')
const NODE_OF_UNIT = '/opt/analysis-hub/node_modules/.bin/node'
const LIMIT_MS = 100_000

let redis: RealServer
let rabbitmq: RealServer

test.group('The unit for systemd', (group) => {
  group.setup(async () => {
    ;[redis, rabbitmq] = await Promise.all([startRedis(), startRabbitmq(), builtProgram()])
    return async () => void (await Promise.all([redis.stop(), rabbitmq.stop()]))
  })

  test('the unit is one that systemd takes', async ({ assert, cleanup }) => {
    await ensurePackages(PACKAGES.systemd)
    const folder = await temporaryFolder(cleanup)
    const units = await Promise.all(
      ['analysis-hub.service', 'analysis-hub-worker.service'].map(async (name) => {
        const text = await readFile(join(UNITS, name), 'utf8')
        await writeFile(join(folder, name), text.replaceAll(NODE_OF_UNIT, NODE))
        return join(folder, name)
      })
    )
    const { stderr } = await run('systemd-analyze', ['verify', ...units])
    assert.equal(stderr, '')
    for (const unit of units) {
      assert.isAtMost(await exposureOf(unit), 3, unit)
    }
    const override = join(folder, 'analysis-hub-worker.service.d')
    await mkdir(override)
    await copyFile(join(UNITS, 'builds.conf'), join(override, 'builds.conf'))
    assert.equal((await run('systemd-analyze', ['verify', units[1]!])).stderr, '')
  })

  test('the unit has accounts and folders that systemd makes', async ({ assert, cleanup }) => {
    await ensurePackages(PACKAGES.systemd)
    const root = await temporaryFolder(cleanup)
    await mkdir(join(root, 'etc'))
    for (const kind of ['sysusers', 'tmpfiles']) {
      const folder = join(root, `usr/lib/${kind}.d`)
      await mkdir(folder, { recursive: true })
      await copyFile(join(UNITS, `analysis-hub.${kind}`), join(folder, 'analysis-hub.conf'))
    }
    await run('systemd-sysusers', [`--root=${root}`])
    await run('systemd-tmpfiles', [`--root=${root}`, '--create'])
    const accounts = await readFile(join(root, 'etc/passwd'), 'utf8')
    assert.match(
      accounts,
      /^analysis-hub:x:\d+:\d+:Analysis Hub:\/var\/lib\/analysis-hub:.*nologin$/m
    )
    assert.match(accounts, /^analysis-hub-worker:x:/m)
    const { mode } = await stat(join(root, 'etc/analysis-hub/secrets'))
    assert.equal(mode & 0o777, 0o700)
  })

  test('reloads under load without a lost request and says whether it did, stops in order, and comes back where its main process is killed', async ({
    assert,
    cleanup,
  }) => {
    const { service, origin, folder } = await startService(cleanup)
    await ready(service, 1)
    const before = service.processes
    const load = new Load(`${origin}/core/`, 4)
    cleanup(async () => void (await load.stop()))
    await eventually(() => load.answered > 100, LIMIT_MS)
    await service.reload()
    assert.isAbove(before.filter((pid) => !service.processes.includes(pid)).length, 1)
    const answered = load.answered
    await eventually(() => load.answered > answered + 100, LIMIT_MS)
    const { lost } = await load.stop()
    assert.deepEqual(lost, [])
    assert.equal(service.restarts, 0)

    await writeFile(join(folder, '.env'), 'DB_POOL=many')
    await assert.rejects(() => service.reload(), /The reload failed/)
    await rm(join(folder, '.env'))
    assert.equal((await fetch(`${origin}/core/`)).status, 200)

    process.kill(service.mainPid, 'SIGKILL')
    await ready(service, 2)
    assert.equal(service.restarts, 1)
    assert.equal((await fetch(`${origin}/core/`)).status, 200)

    assert.equal(await service.stop(), 0)
    assert.isEmpty(service.processes)
    assert.equal(service.restarts, 1, 'a service that was stopped stays so')
  }).timeout(600_000)
})

test.group('The variables for a production', (group) => {
  let postgres: RealServer
  group.setup(async () => {
    ;[redis, rabbitmq, postgres] = await Promise.all([
      startRedis(),
      startRabbitmq(),
      startPostgres(),
      builtProgram(),
    ])
    return async () =>
      void (await Promise.all([redis, rabbitmq, postgres].map((one) => one.stop())))
  })

  test('the variables start an installation as they are typed in the handbook', async ({
    assert,
    cleanup,
  }) => {
    const folder = await temporaryFolder(cleanup)
    const { host, port: databasePort, hostname, username, password } = new URL(postgres.url)
    const typed = (await shellBlocks('server.md'))
      .filter((block) => block.includes('store APP_KEY') || block.includes('^PUBLIC_URL'))
      .join('')
    const environmentFile = join(folder, 'typed.env')
    const secrets = join(folder, 'secrets')
    await mkdir(secrets)
    const installed = await readFile(join(UNITS, 'analysis-hub.env'), 'utf8')
    await writeFile(
      environmentFile,
      installed.replace('/var/lib/analysis-hub', join(folder, 'data'))
    )
    // The tests are root already, and servers that are no service of this machine stay as they are. Those commands read
    // nothing, so that a pipe to one may break: no "pipefail".
    const sudo =
      'sudo() { [ "$1" != -u ] || shift 2; case $1 in rabbitmqctl|systemctl) ;; *) "$@" ;; esac; }\n'
    const here = typed
      .replaceAll('/etc/redis/redis.conf', '/dev/null')
      .replaceAll('/etc/analysis-hub.env', environmentFile)
      .replaceAll('/etc/analysis-hub/secrets', secrets)
      .replace('127.0.0.1:5432', host)
      // The server of the tests has a hub already.
      .replaceAll(/(?<=create role |owner |postgres:\/\/)hub/g, 'typed')
    await run('bash', ['--norc', '-euc', sudo + here], {
      env: {
        PATH: process.env.PATH,
        PGHOST: hostname,
        PGPORT: databasePort,
        PGUSER: username,
        PGPASSWORD: password,
        PGDATABASE: 'postgres',
      },
    })
    const written = await readdir(secrets)
    assert.sameMembers(written, Object.keys(SECRETS))
    for (const name of written) {
      const { mode } = await stat(join(secrets, name))
      assert.equal(mode & 0o777, 0o600, name)
    }
    const variables = await readFile(environmentFile, 'utf8')
    assert.notMatch(variables, /SECRET|PASSWORD|KEY/)
    const typedSecrets = Object.fromEntries(
      await Promise.all(
        written.map(async (name) => [name, await readFile(join(secrets, name), 'utf8')] as const)
      )
    )
    const { service, origin } = await startService(cleanup, variables, {
      ...typedSecrets,
      AMQP_URL: rabbitmq.url,
      REDIS_URL: redis.url,
    })
    await ready(service, 1)
    const admin = typedSecrets.IDENTITY_ADMIN_PASSWORD!.trim()
    assert.isString(await logIn(origin, 'admin', admin))
  }).timeout(600_000)
})

/** The secrets of a hub that is no production. */
const SECRETS = {
  APP_KEY: 'a key of the tests with more than 32 characters',
  DATABASE_URL: 'embedded',
  AMQP_URL: '',
  REDIS_URL: '',
  CLIENT_SECRET: 'start123',
  IDENTITY_ADMIN_PASSWORD: 'start123',
}

/** An installation where the unit expects it, as far as the unit goes. */
async function startService(
  cleanup: (callback: () => Promise<void>) => void,
  variables = 'LOGSTORE_URL=http://127.0.0.1:9\n',
  secrets: Readonly<Record<string, string>> = {
    ...SECRETS,
    AMQP_URL: rabbitmq.url,
    REDIS_URL: redis.url,
  }
) {
  const folder = await temporaryFolder(cleanup)
  const port = await freePort()
  const environmentFile = join(folder, 'analysis-hub.env')
  const data = join(folder, 'data')
  const secretsFolder = join(folder, 'secrets')
  await symlink(join(ROOT, 'build'), join(folder, 'build'))
  await prepareData(data)
  await mkdir(secretsFolder)
  for (const [name, secret] of Object.entries(secrets)) {
    await writeFile(join(secretsFolder, name), `${secret.trim()}\n`, { mode: 0o600 })
  }
  const own = `PORT=${port}\nADMIN_PORT=${await freePort()}\nPOOL_WEB=2\nRATE_LIMIT_ANONYMOUS=0\n`
  await writeFile(environmentFile, variables + own)
  const service = await ServiceManager.start(UNIT, {
    '/opt/analysis-hub': folder,
    '/etc/analysis-hub.env': environmentFile,
    '/etc/analysis-hub/secrets': secretsFolder,
    '/var/lib/analysis-hub': data,
    [NODE_OF_UNIT]: NODE,
  })
  cleanup(() => service.remove())
  return { service, folder, origin: `http://127.0.0.1:${port}` }
}

/** From 0 (safe) to 10. */
async function exposureOf(unit: string): Promise<number> {
  const { stdout } = await run('systemd-analyze', ['security', '--offline=true', unit])
  return Number(/exposure level for \S+: ([\d.]+)/.exec(stdout)?.[1] ?? Number.NaN)
}

const ready = (service: ServiceManager, times: number) => output(service, 'is ready after', times)

async function output(service: ServiceManager, text: string, times: number): Promise<void> {
  await eventually(() => service.output.split(text).length > times, LIMIT_MS).catch((cause) => {
    throw new Error(`The service did not say "${text}":\n${service.output}`, { cause })
  })
}
