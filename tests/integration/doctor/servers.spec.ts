import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'

import { test } from '@japa/runner'

import type { Check } from '#doctor/check'
import { certificatesCheck } from '#doctor/checks/certificates'
import { clockCheck } from '#doctor/checks/clock'
import { defaultSecretsCheck } from '#doctor/checks/default_secrets'
import { diskCheck } from '#doctor/checks/disk'
import { logStoreCheck } from '#doctor/checks/log_store'
import { objectStoreCheck } from '#doctor/checks/object_store'
import { providerCheck } from '#doctor/checks/provider'
import { proxyCheck } from '#doctor/checks/proxy'
import { registriesCheck } from '#doctor/checks/registries'
import { secretFilesCheck } from '#doctor/checks/secret_files'
import { surfacesCheck } from '#doctor/checks/surfaces'
import { switchesCheck } from '#doctor/checks/switches'
import { CATALOGUE, finding } from '#doctor/finding'
import { seal } from '#records/sealing'
import type { Env } from '#configuration/variables'
import { examined, found } from '#tests/helpers/doctor'
import { emptyDatabase } from '#tests/helpers/database/empty_database'
import { HarborServer } from '#tests/helpers/core/harbor_server'
import { canMount, CANNOT_MOUNT, SmallDisk } from '#tests/helpers/doctor/small_disk'
import { tlsServer } from '#tests/helpers/http/tls_server'

const DAY_MS = 86_400_000
const NOBODY = 'http://127.0.0.1:1'

const findingsIn = (check: Check, env: Partial<Env>) => found({ checks: [check], env })

test.group('The doctor | what it leans on', () => {
  /** A server that is gone with the test; answers its address. */
  async function serving(
    cleanup: (stop: () => void) => void,
    handler: RequestListener
  ): Promise<string> {
    const server = createServer(handler).listen(0, '127.0.0.1')
    await once(server, 'listening')
    cleanup(() => {
      server.closeAllConnections()
      server.close()
    })
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  test('a provider that is away, shows no keys, or does not know us', async ({
    assert,
    cleanup,
  }) => {
    const url: string = await serving(cleanup, ({ url: path }, response) => {
      const description = { jwks_uri: `${url}/keys`, token_endpoint: `${url}/token` }
      response.statusCode = path === '/token' ? 401 : 200
      response.end(JSON.stringify(path?.startsWith('/.well-known') ? description : {}))
    })
    assert.deepEqual(await findingsIn(providerCheck, { IDENTITY_URL: NOBODY }), [
      'PROVIDER_UNREACHABLE',
    ])
    assert.deepEqual(await findingsIn(providerCheck, { IDENTITY_URL: url }), [
      'PROVIDER_REFUSES_US',
      'PROVIDER_WITHOUT_KEYS',
    ])
  })

  test('a provider whose clock goes otherwise', async ({ assert, cleanup }) => {
    let aheadMs = 0
    const url = await serving(cleanup, (_, response) => {
      response.setHeader('date', new Date(Date.now() + aheadMs).toUTCString())
      response.end()
    })
    assert.deepEqual(await findingsIn(clockCheck, { IDENTITY_URL: url }), [])
    aheadMs = -30_000
    assert.deepEqual(await findingsIn(clockCheck, { IDENTITY_URL: url }), ['CLOCK_OF_PROVIDER'])
    aheadMs = 30_000
    assert.deepEqual(await findingsIn(clockCheck, { IDENTITY_URL: url }), ['CLOCK_OF_PROVIDER'])
  })

  test('a log store and a surface that do not answer, or that are ill', async ({
    assert,
    cleanup,
  }) => {
    let status = 200
    const url = await serving(cleanup, (_, response) => void response.writeHead(status).end())
    const well = { LOGSTORE_URL: url, STORAGE_URL: url }
    const away = { LOGSTORE_URL: NOBODY, STORAGE_URL: NOBODY }
    const checks = [logStoreCheck, surfacesCheck]
    assert.deepEqual(await found({ checks, env: well }), [])
    assert.deepEqual(await found({ checks, env: away }), [
      'LOGSTORE_UNREACHABLE',
      'SURFACE_UNREACHABLE',
    ])
    status = 503
    assert.deepEqual(await found({ checks, env: well }), [
      'LOGSTORE_UNREACHABLE',
      'SURFACE_UNREACHABLE',
    ])
  })

  test('a registry that refuses the login, is unavailable, or shows an untrusted certificate', async ({
    assert,
    cleanup,
  }) => {
    const database = await emptyDatabase()
    cleanup(() => database.stop())
    await database.migrate('bus', 'core')
    const harbor = await HarborServer.start()
    cleanup(() => harbor.stop())
    const server = await tlsServer(new Date(Date.now() + 365 * DAY_MS))
    cleanup(() => server.stop())
    const check = () => found({ url: database.url, surfaces: ['core'], checks: [registriesCheck] })
    const enter = (host: string, secret: string) =>
      database.pool.query(
        `insert into registries (id, name, host, account_name, account_secret)
         values (gen_random_uuid(), 'one', $1, 'admin', $2)
         on conflict do nothing`,
        [host, seal('registry account', secret)]
      )
    const forget = () => database.pool.query('delete from registries')

    await enter(harbor.host, harbor.access.accountSecret)
    assert.deepEqual(await check(), [])
    await database.pool.query(
      `insert into registry_workers (registry_id, problem) select id, 'It was refused' from registries`
    )
    assert.deepEqual(await check(), ['REGISTRY_WORKER'])
    const { id } = harbor.robotStore.add('worker')
    await database.pool.query(
      `update registry_workers set problem = null, account_id = $1, account_name = 'robot$worker'`,
      [id]
    )
    assert.deepEqual(await check(), [])
    harbor.robotStore.prefix = 'bot_'
    await database.pool.query(
      `insert into registry_links (registry_id, external_name, problem)
       select id, 'library', 'The platform did not make it' from registries`
    )
    assert.deepEqual(await check(), ['REGISTRY_ACCOUNTS_RENAMED', 'REGISTRY_LINK'])
    await forget()
    await enter(harbor.host, 'Wrong12345')
    assert.deepEqual(await check(), ['REGISTRY_UNREACHABLE'])
    await forget()
    await enter(`${hostname()}:${server.port}`, 'Secret12345')
    assert.deepEqual(await check(), ['REGISTRY_UNTRUSTED'])
  })

  test('certificates that are over, end soon, or vouch for themselves', async ({
    assert,
    cleanup,
  }) => {
    const checkServer = async (until: number) => {
      const server = await tlsServer(new Date(until))
      cleanup(() => server.stop())
      return findingsIn(certificatesCheck, { LOGSTORE_URL: `https://localhost:${server.port}` })
    }
    assert.deepEqual(await checkServer(Date.now() - DAY_MS), ['CERTIFICATE_EXPIRED'])
    assert.deepEqual(await checkServer(Date.now() + 5 * DAY_MS), [
      'CERTIFICATE_ENDING',
      'CERTIFICATE_UNTRUSTED',
    ])
    assert.deepEqual(await findingsIn(certificatesCheck, { PUBLIC_URL: 'https://127.0.0.1:1' }), [
      'CERTIFICATE_UNKNOWN',
    ])
  })

  test('a folder that cannot be written, for objects and at all', async ({ assert, cleanup }) => {
    const folder = await mkdtemp(join(tmpdir(), 'hub-doctor-'))
    cleanup(() => rm(folder, { recursive: true }))
    await writeFile(join(folder, 'file'), '')
    const path = join(folder, 'file', 'objects')
    assert.deepEqual(await findingsIn(diskCheck, { DATA_DIR: path, STORAGE_PATH: path }), [
      'DISK_NOT_WRITABLE',
    ])
    assert.deepEqual(await findingsIn(objectStoreCheck, { STORAGE_PATH: path }), [
      'OBJECTS_UNREACHABLE',
    ])
    assert.deepEqual(
      await findingsIn(objectStoreCheck, { STORAGE_PATH: join(folder, 'objects') }),
      []
    )
  })

  test('a disk without room', async ({ assert, cleanup }) => {
    const disk = await SmallDisk.mount(64 * 1024 ** 2)
    cleanup(() => disk.remove())
    assert.deepEqual(
      await findingsIn(diskCheck, {
        DATA_DIR: disk.path,
        STORAGE_PATH: join(disk.path, 'objects'),
      }),
      ['DISK_FULL']
    )
  }).skip(!canMount(), CANNOT_MOUNT)

  test('secrets that everybody knows', async ({ assert }) => {
    const env = {
      AMQP_URL: 'amqp://guest:guest@127.0.0.1',
      S3_SECRET_KEY: 'minioadmin',
      REDIS_URL: 'redis://:change-me@127.0.0.1:6379',
      IDENTITY_ADMIN_PASSWORD: 'start123',
    }
    const { findings } = await examined({ surfaces: [], checks: [defaultSecretsCheck], env })
    const names = findings.map(({ message }) => message.split(' ').at(-1)).toSorted()
    assert.deepEqual(names, ['AMQP_URL', 'IDENTITY_ADMIN_PASSWORD', 'REDIS_URL', 'S3_SECRET_KEY'])
  })

  test('secrets of production that are not in files', async ({ assert }) => {
    const examine = (env: Partial<Env>) =>
      examined({
        surfaces: [],
        checks: [secretFilesCheck],
        env,
        secretsInEnvironment: ['DATABASE_URL', 'APP_KEY'],
      })
    const { findings } = await examine({ NODE_ENV: 'production' })
    assert.deepEqual(
      findings.map(({ code, message }) => [code, message.split(' ').at(-1)]),
      [
        ['SECRET_IN_ENVIRONMENT', 'DATABASE_URL'],
        ['SECRET_IN_ENVIRONMENT', 'APP_KEY'],
      ]
    )
    assert.containsSubset(await examine({ NODE_ENV: 'development' }), {
      findings: [],
      checks: [{ state: 'not used' }],
    })
  })

  test('switches that are only good for trying out', async ({ assert }) => {
    const codes = await findingsIn(switchesCheck, {
      SKIP_PROJECT_APPROVAL: true,
      STORAGE_STRICT_REALM: false,
      APP_KEY_PREVIOUS: ['another key that is long enough to be one'],
    })
    assert.deepEqual(codes, ['APPROVAL_SKIPPED', 'KEY_OF_BEFORE', 'REALMS_OPEN'])
    assert.deepEqual(await findingsIn(switchesCheck, {}), [])
  })

  test('another server, or none, at PUBLIC_URL', async ({ assert, cleanup }) => {
    const url = await serving(cleanup, (_, response) => void response.end('<h1>It works!</h1>'))
    assert.deepEqual(await findingsIn(proxyCheck, { PUBLIC_URL: NOBODY }), [
      'PUBLIC_URL_UNREACHABLE',
    ])
    assert.deepEqual(await findingsIn(proxyCheck, { PUBLIC_URL: url }), ['PUBLIC_URL_IS_OTHER'])
  })
})

test.group('The doctor', () => {
  test('a check that hangs and one that fails keep no other from being made', async ({
    assert,
  }) => {
    const checks: Check[] = [
      { name: 'hangs', run: () => new Promise(() => {}) },
      { name: 'fails', run: () => Promise.reject(new Error('no reason at all')) },
      { name: 'finds', run: async () => [finding('DISK_LOW', 'here')] },
      { name: 'has nothing to do', run: async () => 'not used' },
      { name: 'is content', run: async () => [] },
    ]
    const report = await examined({ checks, limitMs: 200 })
    assert.equal(report.severity, 'error')
    assert.deepEqual(
      report.findings.map(({ code }) => code),
      ['CHECK_HANGS', 'CHECK_FAILED', 'DISK_LOW']
    )
    assert.deepEqual(
      report.checks.map(({ state }) => state),
      ['found', 'found', 'found', 'not used', 'fine']
    )
    assert.include(report.findings[1]!.message, 'fails, no reason at all')
  })

  test('a warning is less than an error, and nothing is fine', async ({ assert }) => {
    const warns: Check = { name: 'warns', run: async () => [finding('DISK_LOW', 'here')] }
    assert.equal((await examined({ checks: [warns] })).severity, 'warning')
    assert.equal((await examined({ checks: [] })).severity, 'fine')
  })

  test('every code says what is wrong and what to do', ({ assert }) => {
    for (const [code, { means, remedy }] of Object.entries(CATALOGUE)) {
      assert.match(means, /^[^]{16,}[^.]$/, code)
      assert.match(remedy, /^[A-Z][^]{15,}\.$/, code)
    }
  })
})
