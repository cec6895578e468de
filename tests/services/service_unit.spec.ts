import { execFile } from 'node:child_process'
import { readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { test } from '@japa/runner'

import { builtProgram } from '#tests/helpers/built_program'
import { eventually } from '#tests/helpers/eventually'
import { Load } from '#tests/helpers/load'
import { prepareData } from '#tests/helpers/prepared_data'
import { ServiceManager } from '#tests/helpers/service_manager'
import { shellBlocks } from '#tests/helpers/shell_blocks'
import { systemNode } from '#tests/helpers/system_node'
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
const NODE = systemNode ?? process.execPath
const LIMIT_MS = 100_000

let redis: RealServer
let rabbitmq: RealServer

test.group('The unit for systemd', (group) => {
  group.setup(async () => {
    ;[redis, rabbitmq] = await Promise.all([startRedis(), startRabbitmq(), builtProgram()])
    return async () => void (await Promise.all([redis.stop(), rabbitmq.stop()]))
  })

  test('is one that systemd takes', async ({ assert, cleanup }) => {
    await ensurePackages(PACKAGES.systemd)
    const folder = await temporaryFolder(cleanup)
    const unit = join(folder, 'analysis-hub.service')
    await writeFile(unit, (await readFile(UNIT, 'utf8')).replace('/usr/bin/node', NODE))
    const { stderr } = await run('systemd-analyze', ['verify', unit])
    assert.equal(stderr, '')
  })

  test('reloads under load without a lost request, stops in order, and comes back where its main process is killed', async ({
    assert,
    cleanup,
  }) => {
    const { service, origin } = await startService(cleanup)
    await ready(service, 1)
    const before = service.processes
    const load = new Load(`${origin}/core/`, 4)
    cleanup(async () => void (await load.stop()))
    await eventually(() => load.answered > 100, LIMIT_MS)
    await service.reload()
    await output(service, 'every process was replaced', 1)
    const answered = load.answered
    await eventually(() => load.answered > answered + 100, LIMIT_MS)
    const { lost } = await load.stop()
    assert.deepEqual(lost, [])
    assert.equal(service.restarts, 0)
    assert.isAbove(before.filter((pid) => !service.processes.includes(pid)).length, 1)

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

  test('start an installation as they are typed in the handbook', async ({ assert, cleanup }) => {
    const folder = await temporaryFolder(cleanup)
    const { host, port: databasePort, hostname, username, password } = new URL(postgres.url)
    const typed = (await shellBlocks('deploying.md')).find((block) => block.includes('APP_KEY='))!
    const environmentFile = join(folder, 'typed.env')
    // The tests are root already, and servers that are no service of this machine stay as they are. Those commands read
    // nothing, so that a pipe to one may break: no "pipefail".
    const sudo =
      'sudo() { [ "$1" != -u ] || shift 2; case $1 in rabbitmqctl|systemctl) ;; *) "$@" ;; esac; }\n'
    const here = typed
      .replaceAll('/etc/redis/redis.conf', '/dev/null')
      .replaceAll('/etc/analysis-hub.env', environmentFile)
      .replaceAll('/var/lib/analysis-hub', join(folder, 'data'))
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
    const { mode } = await stat(environmentFile)
    assert.equal(mode & 0o777, 0o600)
    const variables = await readFile(environmentFile, 'utf8')
    const { service, origin } = await startService(
      cleanup,
      variables
        .replace(/^AMQP_URL=.*$/m, `AMQP_URL=${rabbitmq.url}`)
        .replace(/^REDIS_URL=.*$/m, `REDIS_URL=${redis.url}`)
    )
    await ready(service, 1)
    const admin = /^IDENTITY_ADMIN_PASSWORD=(.*)$/m.exec(variables)![1]!
    assert.isString(await logIn(origin, 'admin', admin))
  }).timeout(600_000)
})

/** An installation where the unit expects it, as far as the unit goes. */
async function startService(
  cleanup: (callback: () => Promise<void>) => void,
  variables = `REDIS_URL=${redis.url}\nAMQP_URL=${rabbitmq.url}\nLOGSTORE_URL=http://127.0.0.1:9\n`
) {
  const folder = await temporaryFolder(cleanup)
  const port = await freePort()
  const environmentFile = join(folder, 'analysis-hub.env')
  await symlink(join(ROOT, 'bin'), join(folder, 'bin'))
  await symlink(join(ROOT, 'package.json'), join(folder, 'package.json'))
  await prepareData(join(folder, '.data'))
  const own = `PORT=${port}\nADMIN_PORT=0\nPOOL_WEB=2\nRATE_LIMIT_ANONYMOUS=0\n`
  await writeFile(environmentFile, variables + own)
  const service = await ServiceManager.start(UNIT, {
    '/opt/analysis-hub': folder,
    '/etc/analysis-hub.env': environmentFile,
    '/usr/bin/node': NODE,
  })
  cleanup(() => service.remove())
  return { service, origin: `http://127.0.0.1:${port}` }
}

const ready = (service: ServiceManager, times: number) => output(service, 'is ready after', times)

async function output(service: ServiceManager, text: string, times: number): Promise<void> {
  await eventually(() => service.output.split(text).length > times, LIMIT_MS).catch((cause) => {
    throw new Error(`The service did not say "${text}":\n${service.output}`, { cause })
  })
}
