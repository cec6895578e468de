import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

import { test } from '@japa/runner'

import { requireOwnHub, startHub } from '#hubctl/sandbox/hub_part'
import { KeptNode } from '#hubctl/sandbox/kept_node'
import { NODES } from '#hubctl/sandbox/network'
import { writeNodeFiles } from '#hubctl/sandbox/node_part'
import { Part } from '#hubctl/sandbox/part'
import { isPortOf } from '#hubctl/sandbox/port_owner'
import { identityOf, isThere } from '#hubctl/sandbox/process_identity'
import { endLeftovers } from '#hubctl/sandbox/running_sandbox'
import { SandboxFolder } from '#hubctl/sandbox/sandbox_folder'
import { TemporaryFolder } from '#hubctl/sandbox/temporary_folder'
import { eventually } from '#tests/helpers/eventually'

const [NORTH] = NODES
const LISTENS = `
  const server = require('node:net').createServer().listen(Number(process.argv[1]), '127.0.0.1',
    () => console.log(server.address().port))
  process.on('SIGTERM', () => process.exit())`
const STAYS = `setInterval(() => {}, 1000)`

test.group('The parts of a sandbox', (group) => {
  let path: string
  let folder: SandboxFolder
  const parts: Part[] = []

  group.each.setup(async () => {
    path = await mkdtemp(join(tmpdir(), 'hub-parts-'))
    folder = new SandboxFolder({ folder: path })
    return async () => {
      await Promise.all(parts.splice(0).map((part) => part.stop()))
      await rm(path, { recursive: true, force: true })
    }
  })

  async function start(script: string, ...args: string[]): Promise<Part> {
    const log = join(folder.logs, 'part.log')
    const part = await Part.start({
      name: 'north',
      program: process.execPath,
      args: ['-e', script, ...args],
      environment: process.env,
      folder: path,
      log,
      goesOn: true,
    })
    parts.push(part)
    return part
  }

  async function portOf(): Promise<number> {
    const log = join(folder.logs, 'part.log')
    await eventually(async () => /\n/.test(await readFile(log, 'utf8')))
    return Number(await readFile(log, 'utf8'))
  }

  test('the parts keep the policy and the data that somebody has changed', async ({ assert }) => {
    const node = folder.node('north')
    const files = ['policy.yaml', 'node.yaml', 'data/patients.csv'].map((file) => join(node, file))
    const [policy, settings, patients] = files as [string, string, string]
    await mkdir(node, { recursive: true })
    await writeNodeFiles(folder, NORTH!, 'http://localhost:3000', 'key one')
    assert.include(await readFile(policy, 'utf8'), 'approve: auto')
    await writeFile(policy, 'approve: ask # by hand\n')
    await writeFile(patients, 'patient\n1\n')
    await writeFile(settings, `${await readFile(settings, 'utf8')}# by hand\n`)

    await writeNodeFiles(folder, NORTH!, 'http://localhost:4000', 'key two')
    assert.equal(await readFile(policy, 'utf8'), 'approve: ask # by hand\n')
    assert.equal(await readFile(patients, 'utf8'), 'patient\n1\n')
    const written = await readFile(settings, 'utf8')
    assert.include(written, 'hub: http://localhost:4000')
    assert.include(written, '# by hand')
    assert.equal(await readFile(join(node, 'hub.pub'), 'utf8'), 'key two\n')
  })

  test('the parts complete partly written data', async ({ assert }) => {
    const node = folder.node('north')
    await mkdir(join(node, 'data.new'), { recursive: true })
    await writeFile(join(node, 'data.new', 'cut.csv'), 'pat')
    await writeNodeFiles(folder, NORTH!, 'http://localhost:3000', 'key')
    const files = await readdir(join(node, 'data'))
    assert.sameMembers(files, ['patients.csv', 'followup.csv', 'laboratory.csv'])
  })

  test('the parts do not take a port at which somebody listens, on either loopback address', async ({
    assert,
  }) => {
    for (const host of ['127.0.0.1', '::1']) {
      const server = createServer().listen(0, host)
      await once(server, 'listening')
      const { port } = server.address() as AddressInfo
      const starting = startHub(folder, { PORT: String(port) })
      await assert.rejects(() => starting, new RegExp(`listens at the port ${port} already`))
      server.close()
    }
    assert.isFalse(existsSync(folder.logs))
  })

  test('the parts send no password to a port that another process listens at', async ({
    assert,
  }) => {
    const [listening, other] = [await start(LISTENS, '0'), await start(STAYS)]
    const port = await portOf()
    const address = { url: `http://localhost:${port}`, port, log: '' }
    assert.isTrue(await isPortOf(listening.pid, port))
    await requireOwnHub(listening, address)
    assert.isFalse(await isPortOf(other.pid, port))
    await assert.rejects(() => requireOwnHub(other, address), /Another program listens/)
  })

  test('the parts are not the only ones at a port where somebody else listens at another address', async ({
    assert,
  }) => {
    const listening = await start(LISTENS, '0')
    const port = await portOf()
    const server = createServer().listen(port, '::1')
    await once(server, 'listening')
    assert.isFalse(await isPortOf(listening.pid, port))
    server.close()
    await once(server, 'close')
    assert.isTrue(await isPortOf(listening.pid, port))
  })

  test('the parts are started again after pauses that grow, and say so, until they are stopped', async ({
    assert,
  }) => {
    const lines: string[] = []
    let current = await start(STAYS)
    const kept = new KeptNode(current, {
      restart: async (onStart) => {
        current = await start(STAYS)
        onStart(current)
      },
      tell: (text) => lines.push(text),
      firstPauseMs: 20,
    })
    kept.keep()
    for (const times of [1, 2, 3]) {
      process.kill(current.pid, 'SIGKILL')
      await eventually(() => lines.filter((text) => text === 'north runs again.').length === times)
    }
    const pauses = lines.flatMap(
      (text) => /ended \(SIGKILL\).* in ([\d.]+) s/.exec(text)?.[1] ?? []
    )
    assert.deepEqual(pauses, ['0.02', '0.04', '0.08'])
    await kept.stop()
    assert.isFalse(current.isRunning)
    assert.lengthOf(lines, 6)
  })

  test('try again to start one that does not get ready', async ({ assert }) => {
    const lines: string[] = []
    const first = await start(STAYS)
    let attempts = 0
    const kept = new KeptNode(first, {
      restart: async (onStart) => {
        attempts += 1
        onStart(await start(STAYS))
        if (attempts === 1) {
          throw new Error('The node north did not start.')
        }
      },
      tell: (text) => lines.push(text),
      firstPauseMs: 20,
    })
    kept.keep()
    process.kill(first.pid, 'SIGKILL')
    await eventually(() => lines.includes('north runs again.'))
    assert.equal(attempts, 2)
    assert.include(lines, 'The node north did not start.')
    await kept.stop()
  })

  test('the parts are ended at the next start if their sandbox was killed, and no other process', async ({
    assert,
  }) => {
    const part = await start(STAYS)
    const other = spawn(process.execPath, ['-e', STAYS])
    await once(other, 'spawn')
    const notAnyMore = { pid: other.pid!, startedAt: '1' }
    await folder.saveState({
      pid: 1,
      startedAt: 'never',
      url: '',
      context: 'sandbox',
      isReady: true,
      parts: [await identityOf(part.pid), notAnyMore],
    })
    assert.isTrue(await endLeftovers(folder))
    assert.isFalse(part.isRunning)
    assert.isTrue(await isThere(await identityOf(other.pid!)))
    assert.isFalse(await endLeftovers(folder))
    other.kill()
    await once(other, 'exit')
  })

  test('the parts leave nothing in the temporary folder, also of a start that was killed', async ({
    assert,
  }) => {
    const killed = await new TemporaryFolder(path).create()
    await writeFile(join(killed, 'socket'), '')
    const next = new TemporaryFolder(path)
    const created = await next.create()
    assert.isFalse(existsSync(killed))
    assert.isTrue(existsSync(created))
    await next.remove()
    assert.isFalse(existsSync(created))
    assert.isFalse(existsSync(join(path, 'temporary')))
  })

  test('the parts remove nothing that a link in their folder leads to but their own', async ({
    assert,
  }) => {
    const precious = join(path, 'precious')
    await mkdir(precious)
    await symlink(precious, join(path, 'temporary'))
    const temporary = new TemporaryFolder(path)
    const created = await temporary.create()
    assert.isTrue(existsSync(precious))
    assert.equal(await readlink(join(path, 'temporary')), created)
    assert.match(basename(created), /^hub-sandbox-/)
    await temporary.remove()
  })
})
