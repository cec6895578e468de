import { once } from 'node:events'
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createSocketServer, type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'

import { test } from '@japa/runner'

import { cookiesCheck } from '#doctor/checks/cookies'
import { proxyCheck } from '#doctor/checks/proxy'
import { locateEmbeddedPostgres } from '#embedded/locate'
import type { Env } from '#configuration/variables'
import { ace } from '#tests/helpers/ace_process'
import { found } from '#tests/helpers/doctor'
import { HubProcesses } from '#tests/helpers/hub_processes'

const SECRETS = {
  APP_KEY: 'a key of this installation and long enough',
  CLIENT_SECRET: 'the secret of the platform itself',
  IDENTITY_ADMIN_PASSWORD: 'the password of its administrator',
}
const LARGE = 1024 * 1024

type Habit = 'cuts bodies' | 'holds streams' | 'hides callers' | 'is a stranger'

/** What stands in front of an installation, and does not always do as it should. */
class Proxy {
  habit: Habit | undefined
  /** Where the installation is. */
  target = ''
  readonly #server = createServer((incoming, answer) => this.#forward(incoming, answer))

  static async start(): Promise<Proxy> {
    const proxy = new Proxy()
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  stop(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }

  #forward(incoming: IncomingMessage, answer: ServerResponse): void {
    if (this.habit === 'cuts bodies' && Number(incoming.headers['content-length']) > LARGE) {
      return void answer.writeHead(413).end('too large')
    }
    const own = this.habit === 'hides callers' ? {} : { 'x-forwarded-for': '192.0.2.7' }
    const passed = request(this.target + incoming.url, {
      method: incoming.method,
      headers: { ...incoming.headers, ...own },
      ...(this.habit === 'is a stranger' && { localAddress: '127.0.0.2' }),
    })
    passed.on('error', () => answer.destroy())
    passed.on('response', (response) => {
      if (this.habit === 'holds streams' && isStream(response)) {
        response.resume()
        return
      }
      answer.writeHead(response.statusCode!, response.headers)
      response.pipe(answer)
    })
    answer.on('close', () => passed.destroy())
    incoming.on('error', () => {})
    incoming.pipe(passed)
  }
}

const isStream = ({ headers }: IncomingMessage) =>
  headers['content-type']?.startsWith('text/event-stream') === true

test.group('The doctor | an installation behind a proxy', (group) => {
  let hub: HubProcesses
  let proxy: Proxy
  let database: string

  group.setup(async () => {
    proxy = await Proxy.start()
    const variables = { ...SECRETS, PUBLIC_URL: proxy.url, TRUSTED_PROXIES: '127.0.0.1' }
    hub = await HubProcesses.start('server', { variables, isDurable: true })
    proxy.target = hub.origin
    const url = await locateEmbeddedPostgres(join(hub.folder, '.data', 'postgres'))
    database = url!
    return async () => {
      await hub.remove()
      proxy.stop()
    }
  })

  group.each.setup(() => () => {
    proxy.habit = undefined
  })

  const variables = () => ({
    ...SECRETS,
    PUBLIC_URL: proxy.url,
    DATA_DIR: join(hub.folder, '.data'),
  })
  const findingsBehindProxy = (habit: Habit | undefined, env: Partial<Env> = {}) => {
    proxy.habit = habit
    return found({
      url: database,
      env: { ...variables(), ...env },
      checks: [proxyCheck, cookiesCheck],
    })
  }

  test('nothing is found of one that is healthy', async ({ assert }) => {
    const { exit, stdout, stderr } = await ace(['doctor', '-o', 'json'], variables())
    const { severity, findings, checks } = JSON.parse(stdout)
    assert.deepEqual(findings, [])
    assert.equal(severity, 'fine')
    assert.equal(exit, 0, stderr)
    const fine = checks
      .filter(({ state }: { state: string }) => state === 'fine')
      .map(({ check }: { check: string }) => check)
    assert.includeMembers(fine, ['database', 'proxy', 'cookies', 'object store', 'indexes'])
  })

  test('what is wrong is shown as a table, too, and ends with a code of its own', async ({
    assert,
  }) => {
    const warned = await ace(['doctor'], { ...variables(), SKIP_ANALYSIS_APPROVAL: 'true' })
    assert.equal(warned.exit, 1, warned.stdout + warned.stderr)
    assert.include(warned.stdout + warned.stderr, 'APPROVAL_SKIPPED')
    const failed = await ace(['doctor', '-o', 'json'], {
      ...variables(),
      DATABASE_URL: 'postgres://hub:geheim@127.0.0.1:1/hub',
    })
    assert.equal(failed.exit, 2)
    assert.equal(JSON.parse(failed.stdout).severity, 'error')
    assert.notInclude(failed.stdout + failed.stderr, 'geheim')
  })

  test('it comes to its end although no server that it asks answers', async ({
    assert,
    cleanup,
  }) => {
    const sockets = new Set<Socket>()
    const silent = createSocketServer((socket) => {
      sockets.add(socket.on('error', () => {}))
    }).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    cleanup(() => {
      silent.close()
      sockets.forEach((socket) => socket.destroy())
    })
    const host = `127.0.0.1:${(silent.address() as AddressInfo).port}`
    const { exit, stdout } = await ace(['doctor', '-o', 'json'], {
      ...SECRETS,
      DATABASE_URL: `postgres://hub:secret@${host}/hub`,
      AMQP_URL: `amqp://hub:secret@${host}`,
      REDIS_URL: `redis://hub:secret@${host}`,
      S3_ENDPOINT: `http://${host}`,
      S3_ACCESS_KEY: 'key',
      S3_SECRET_KEY: 'secret',
      LOGSTORE_URL: `http://${host}`,
      IDENTITY_URL: `http://${host}`,
      PUBLIC_URL: `http://${host}`,
    })
    const codes = JSON.parse(stdout).findings.map(({ code }: { code: string }) => code)
    assert.includeMembers(codes, [
      'DATABASE_UNREACHABLE',
      'BROKER_UNREACHABLE',
      'REDIS_UNREACHABLE',
      'OBJECTS_UNREACHABLE',
      'PROVIDER_UNREACHABLE',
      'LOGSTORE_UNREACHABLE',
      'PUBLIC_URL_UNREACHABLE',
    ])
    assert.equal(exit, 2)
  }).timeout(600_000)

  test('a proxy that refuses large bodies', async ({ assert }) => {
    assert.deepEqual(await findingsBehindProxy('cuts bodies'), ['PROXY_CUTS_BODIES'])
  })

  test('a proxy that keeps streams back', async ({ assert }) => {
    assert.deepEqual(await findingsBehindProxy('holds streams'), ['PROXY_HOLDS_STREAMS'])
  })

  test('a proxy that does not say for whom it calls, and one that is not believed', async ({
    assert,
  }) => {
    assert.deepEqual(await findingsBehindProxy('hides callers'), ['PROXY_HIDES_CALLERS'])
    assert.deepEqual(await findingsBehindProxy('is a stranger'), ['PROXY_NOT_TRUSTED'])
  })

  test('surfaces that go by another cookie', async ({ assert }) => {
    assert.deepEqual(await findingsBehindProxy(undefined, { COOKIE_PREFIX: 'other_' }), [
      'COOKIE_PREFIX_DIFFERS',
    ])
  })
})
