import { chown, mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { test } from '@japa/runner'

import { BubblewrapDriver } from '#node/containers/bubblewrap/bubblewrap_driver'
import { isUnified } from '#node/containers/control_groups/group_folders'
import { containerDriver } from '#node/containers/choose_driver'
import { DEFAULT_LIMITS } from '#node/containers/container_driver'
import { RuncDriver } from '#node/containers/runc/runc_driver'
import { newId } from '#kernel/new_id'
import { eventually } from '#tests/helpers/eventually'
import { busyboxRoot } from '#tests/helpers/node/busybox_root'
import { AS_NOBODY } from '#tests/helpers/node/container_seats'
import { containerSuite } from '#tests/helpers/node/container_suite'
import { controlGroups, remainsOf, tracesOf } from '#tests/helpers/node/machine_traces'
import { RemoteDriver } from '#tests/helpers/node/remote_driver'
import { RunningContainer } from '#tests/helpers/node/running_container'
import { canBeNobody, NOBODY } from '#tests/helpers/unprivileged'
import { ensurePackages, PACKAGES } from '#tests/services/servers/packages'

await ensurePackages(PACKAGES.containers)

containerSuite('bubblewrap', async (folder) => ({ driver: new BubblewrapDriver(folder) }))

if (process.getuid?.() === 0) {
  containerSuite('runc', async (folder) => ({ driver: new RuncDriver(folder) }))
}

if (canBeNobody()) {
  containerSuite(
    'bubblewrap, without privileges',
    async (folder) => {
      const driver = new RemoteDriver(folder, AS_NOBODY)
      return { driver, cleanup: () => driver.close() }
    },
    async (folder, sockets) => {
      const names = await readdir(sockets)
      for (const path of [folder, sockets, ...names.map((name) => join(sockets, name))]) {
        await chown(path, NOBODY, NOBODY)
      }
    }
  )
}

test.group('Containers | where the machine does not allow them', (group) => {
  group.each.timeout(120_000)

  /** Root of a container of Docker has no such right. */
  const WITHOUT_RIGHTS = [
    'setpriv',
    ...['--bounding-set=-sys_admin', '--inh-caps=-sys_admin', '--ambient-caps=-sys_admin', '--'],
  ]

  test('runc is refused without the right to make namespaces, and the reason names it', async ({
    assert,
    cleanup,
  }) => {
    const driver = new RemoteDriver(tmpdir(), WITHOUT_RIGHTS, 'runc')
    cleanup(() => driver.close())
    const reason = await driver.available()
    assert.match(
      reason!,
      /Root may not make namespaces here \(unshare: .*Operation not permitted\)/
    )
    assert.include(reason!, 'CAP_SYS_ADMIN')
    assert.include(reason!, 'bubblewrap')
  }).skip(process.getuid?.() !== 0, 'This test drops rights of root')

  test('a node of root that names no driver has runc, whose limits cover all memory', async ({
    assert,
  }) => {
    const folder = await mkdtemp(join(tmpdir(), 'hub-node-'))
    const chosen = await containerDriver(undefined, folder)
    assert.equal(chosen.name, 'runc')
    assert.isEmpty(chosen.unbounded)
    const named = await containerDriver('bubblewrap', folder)
    if (!isUnified()) {
      assert.isEmpty(named.unbounded, 'Root has control groups of version 1')
    }
  }).skip(process.getuid?.() !== 0, 'This test needs root')

  test('runc is refused to an account that is not root', async ({ assert, cleanup }) => {
    const driver = new RemoteDriver(tmpdir(), AS_NOBODY, 'runc')
    cleanup(() => driver.close())
    assert.match((await driver.available())!, /Only root .* bubblewrap/)
  }).skip(!canBeNobody(), 'This test needs an account without rights')
})

test.group('Containers | bubblewrap, its own ways', (group) => {
  let folder: string

  group.each.setup(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hub-node-'))
    busyboxRoot(join(folder, 'root'))
    return () => rm(folder, { recursive: true, force: true })
  })
  group.each.timeout(600_000)

  const specOf = (script: string, variables: Record<string, string> = {}) => ({
    name: 'analysis',
    rootPath: join(folder, 'root'),
    command: ['/bin/sh', '-c', script],
    variables: { PATH: '/bin', ...variables },
    workingFolder: '/',
    limits: { ...DEFAULT_LIMITS, tmpBytes: 1024 ** 2 },
    gatewayHost: 'nginx-analysis',
    gatewaySocket: join(folder, 'gateway'),
    inboundSocket: join(folder, 'inbound'),
  })

  test('a container that creates more files than fit into /tmp is ended', async ({ assert }) => {
    const driver = new BubblewrapDriver(join(folder, 'run'))
    const container = await RunningContainer.start(
      driver,
      specOf('i=0; while :; do : > /tmp/$i; i=$((i+1)); done')
    )

    assert.deepInclude(await container.exited, { reason: 'files', signal: 'SIGKILL' })
  })

  test('a container ends with its way to the gateway', async ({ assert, cleanup }) => {
    const mark = newId()
    const driver = new BubblewrapDriver(join(folder, 'run'))
    const gateway = createServer().listen(join(folder, 'gateway'))
    await once(gateway, 'listening')
    cleanup(() => void gateway.close())
    const container = await RunningContainer.start(driver, specOf('sleep 1000', { MARK: mark }))
    const sidecar = tracesOf('sidecar_program').pids.find((pid) =>
      tracesOf(join(folder, 'inbound')).pids.includes(pid)
    )
    process.kill(sidecar!, 'SIGKILL')

    assert.deepInclude(await container.exited, { reason: 'gateway' })
  })

  test('when its node is killed, a container ends, and nothing is left of it', async ({
    assert,
  }) => {
    const mark = newId()
    const driver = new RemoteDriver(join(folder, 'run'))
    const container = await RunningContainer.start(
      driver,
      specOf('sleep 1000 & echo ready; wait', { MARK: mark })
    )
    await container.says('ready')
    const traces = tracesOf(mark)
    const all = {
      ...traces,
      namespaces: new Set([...traces.namespaces, ...tracesOf(folder).namespaces]),
    }
    const [runFolder] = await readdir(join(folder, 'run'))
    await driver.kill()

    await eventually(() => remainsOf(mark, all).length === 0, 60_000)
    const next = new BubblewrapDriver(join(folder, 'run'))
    await next.available()
    assert.equal(controlGroups(runFolder!).length > 0, next.unbounded.length === 0)
    await next.recover()
    assert.isEmpty(controlGroups(runFolder!))
    assert.isEmpty(await readdir(join(folder, 'run')))
    await eventually(async () => !(await readdir(folder)).includes('inbound'), 60_000)
  })
})
