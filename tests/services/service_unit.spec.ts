import { execFile } from 'node:child_process'
import { readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { test } from '@japa/runner'

import { builtProgram } from '#tests/helpers/built_program'
import { eventually } from '#tests/helpers/eventually'
import { Load } from '#tests/helpers/load'
import { prepareData } from '#tests/helpers/prepared_data'
import { ServiceManager } from '#tests/helpers/service_manager'
import { systemNode } from '#tests/helpers/system_node'
import { temporaryFolder } from '#tests/helpers/temporary_folder'
import { freePort } from '#tests/services/servers/free_port'
import { ensurePackages, PACKAGES } from '#tests/services/servers/packages'
import { startRabbitmq } from '#tests/services/servers/rabbitmq'
import type { RealServer } from '#tests/services/servers/real_server'
import { startRedis } from '#tests/services/servers/redis'

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
    const { stderr } = await promisify(execFile)('systemd-analyze', ['verify', unit])
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
    await said(service, 'every process was replaced', 1)
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

/** An installation where the unit expects it, as far as the unit goes. */
async function startService(cleanup: (callback: () => Promise<void>) => void) {
  const folder = await temporaryFolder(cleanup)
  const port = await freePort()
  const environmentFile = join(folder, 'analysis-hub.env')
  await symlink(join(ROOT, 'bin'), join(folder, 'bin'))
  await symlink(join(ROOT, 'package.json'), join(folder, 'package.json'))
  await prepareData(join(folder, '.data'))
  await writeFile(
    environmentFile,
    Object.entries({
      PORT: port,
      ADMIN_PORT: 0,
      POOL_WEB: 2,
      RATE_LIMIT_ANONYMOUS: 0,
      REDIS_URL: redis.url,
      AMQP_URL: rabbitmq.url,
      LOGSTORE_URL: 'http://127.0.0.1:9',
    })
      .map(([name, value]) => `${name}=${value}\n`)
      .join('')
  )
  const service = await ServiceManager.start(UNIT, {
    '/opt/analysis-hub': folder,
    '/etc/analysis-hub.env': environmentFile,
    '/usr/bin/node': NODE,
  })
  cleanup(() => service.remove())
  return { service, origin: `http://127.0.0.1:${port}` }
}

const ready = (service: ServiceManager, times: number) => said(service, 'is ready after', times)

async function said(service: ServiceManager, text: string, times: number): Promise<void> {
  await eventually(() => service.output.split(text).length > times, LIMIT_MS).catch((cause) => {
    throw new Error(`The service did not say "${text}":\n${service.output}`, { cause })
  })
}
