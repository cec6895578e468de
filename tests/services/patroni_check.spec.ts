import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TLSSocket } from 'node:tls'
import { promisify } from 'node:util'

import { test } from '@japa/runner'

import { temporaryFolder } from '#tests/helpers/temporary_folder'
import { ensurePackages, PACKAGES } from '#tests/services/servers/packages'

const run = promisify(execFile)
const MACHINES = fileURLToPath(new URL('../../deploy/machines/', import.meta.url))
const HOST = 'localhost'
const PASSWORD = 'password-of-patroni'
const FAILING = ['starting', 'start failed', 'start failed']
const LEADER = { name: 'db2', role: 'leader', state: 'running' }
const SYNCHRONOUS = { name: 'db3', role: 'sync_standby', state: 'streaming' }
/** How often the standby is looked at after it was copied, until it runs. */
const LOOKS_AT_COPY = 50

interface Cluster {
  /** Of the standby, one after the other and again from the beginning. */
  readonly states?: readonly string[]
  readonly others?: readonly object[]
}

/** Makes a certificate that vouches for itself, which the standby shows and trusts. */
async function makeCertificate(folder: string): Promise<void> {
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  const names = ['-subj', '/O=hub', '-addext', `subjectAltName=DNS:${HOST}`]
  const files = ['-keyout', 'server.key', '-out', 'server.crt']
  await run('openssl', ['req', '-x509', ...key, ...names, ...files], { cwd: folder })
  await writeFile(join(folder, 'servers.crt'), await readFile(join(folder, 'server.crt')))
}

/** Whether Patroni would change something for whoever asks so. */
function mayChange({ socket, headers }: IncomingMessage): boolean {
  const account = Buffer.from(headers.authorization?.split(' ')[1] ?? '', 'base64').toString()
  return (socket as TLSSocket).authorized && account === `patroni:${PASSWORD}`
}

/** A file of the example, for a standby whose settings are in a folder. */
async function exampleFile(name: string, folder: string): Promise<string> {
  const text = await readFile(join(MACHINES, name), 'utf8')
  return text
    .replaceAll('THIS_HOST', HOST)
    .replaceAll('change-me-patroni', PASSWORD)
    .replaceAll('/etc/patroni', folder)
}

/** Runs the check on the host of a standby, and resolves to how often it asked Patroni to copy it anew. */
async function copiesOf(
  folder: string,
  { states = FAILING, others = [LEADER, SYNCHRONOUS] }: Cluster
): Promise<number> {
  let [looks, looksAtCopy, copies] = [0, 0, 0]
  const answers = {
    '/patroni': () => {
      const isCopied = copies > 0 && ++looksAtCopy > LOOKS_AT_COPY
      return { state: isCopied ? 'running' : states[looks++ % states.length] }
    },
    '/cluster': () => ({
      members: [...others, { name: HOST, role: 'replica', state: 'starting' }],
    }),
    '/reinitialize': () => ({ copies: ++copies }),
  }
  const [key, cert] = await Promise.all(
    ['server.key', 'server.crt'].map((name) => readFile(join(folder, name)))
  )
  const trust = { ca: cert, requestCert: true, rejectUnauthorized: false }
  const patroni = createServer({ key, cert, ...trust }, (request, response) => {
    if (request.method !== 'GET' && !mayChange(request)) {
      return response.writeHead(401).end()
    }
    return response.end(JSON.stringify(answers[request.url as keyof typeof answers]()))
  })
  patroni.listen(0, HOST)
  await once(patroni, 'listening')
  const { port } = patroni.address() as AddressInfo
  try {
    const settings = await exampleFile('patroni.yml', folder)
    const own = join(folder, `${port}.yml`)
    await writeFile(own, settings.replaceAll(':8008', `:${port}`))
    const check = await exampleFile('patroni-check', folder)
    const filled = check.replace(join(folder, 'config.yml'), own).replace('sleep(1)', 'sleep(0.01)')
    await run('python3', ['-c', filled])
  } finally {
    patroni.close()
  }
  return copies
}

test.group('The check of Patroni', (group) => {
  let folder: string

  group.setup(async () => {
    await ensurePackages(PACKAGES.pythonYaml)
    folder = await temporaryFolder((cleanup) => group.teardown(cleanup))
    await makeCertificate(folder)
  })

  test('the check has a standby copied once that cannot be started, and waits until it runs', async ({
    assert,
  }) => {
    assert.equal(await copiesOf(folder, {}), 1)
  })

  test('the check keeps the files of a standby while not two others have everything', async ({
    assert,
  }) => {
    const incomplete = [
      [LEADER],
      [SYNCHRONOUS],
      [LEADER, { ...SYNCHRONOUS, role: 'replica' }],
      [LEADER, { ...SYNCHRONOUS, state: 'starting' }],
      [{ ...LEADER, state: 'stopped' }, SYNCHRONOUS],
    ]
    const copies = incomplete.map((others) => copiesOf(folder, { others }))
    assert.deepEqual(await Promise.all(copies), [0, 0, 0, 0, 0])
  })

  test('the check leaves one alone that recovers for long, or that runs now and then', async ({
    assert,
  }) => {
    const ways = [['starting'], ['start failed', 'start failed', 'running']]
    const copies = ways.map((states) => copiesOf(folder, { states }))
    assert.deepEqual(await Promise.all(copies), [0, 0])
  })
})
