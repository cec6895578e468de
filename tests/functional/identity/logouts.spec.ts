import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

import { test } from '@japa/runner'
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose'

import { identityPool } from '#identity/embedded/database'
import { isAllowedAddress } from '#identity/embedded/logout/logout_addresses'
import { logoutWorker } from '#identity/embedded/logout/logout_worker'
import { seedIdentity } from '#identity/embedded/seeds'
import { runDueTasks } from '#jobs/tasks/task_worker'
import { at } from '#tests/helpers/application'
import {
  believeProvider,
  byPassword,
  change,
  makeClient,
  makeUser,
  PASSWORD,
  post,
  refresh,
  remove,
  send,
  unique,
} from './provider.js'

const SILENT = { logger: { warn: () => {} } }
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout'

/** A client that receives logouts and responds with the configured statuses. */
async function listeningProgram() {
  const tokens: string[] = []
  const statuses: number[] = []
  const server: Server = createServer(async (request, response) => {
    tokens.push(new URLSearchParams(await text(request)).get('logout_token')!)
    response.writeHead(statuses.shift() ?? 204, { location: '/elsewhere' }).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const stop = () => {
    server.closeAllConnections()
    server.close()
  }
  return { tokens, statuses, address: `http://127.0.0.1:${port}/logout`, stop }
}

const announce = () => runDueTasks(logoutWorker(SILENT))
const waiting = async () =>
  (await identityPool().query('select attempts from identity_tasks order by key')).rows

test.group('Logouts of clients', (group) => {
  let program: Awaited<ReturnType<typeof listeningProgram>>

  group.setup(seedIdentity)
  group.setup(believeProvider)
  group.each.setup(async () => {
    await identityPool().query('delete from identity_tasks')
    program = await listeningProgram()
    return () => program.stop()
  })

  async function signedIn() {
    const user = await makeUser()
    const client = await makeClient({ backchannelLogoutUri: program.address })
    const login = { username: user.name, password: PASSWORD, client_id: client.id }
    const { body } = await byPassword(login)
    return { user, client, tokens: body, sid: decodeJwt(body.access_token).sid }
  }

  test('logouts are sent as a signed token with the ended session', async ({ assert }) => {
    const { user, client, tokens, sid } = await signedIn()
    await post('/token/revoke', { token: tokens.refresh_token })
    await announce()
    const [token] = program.tokens
    const keys = createRemoteJWKSet(new URL(at('identity', '/jwks')))
    const { payload, protectedHeader } = await jwtVerify(token!, keys, { audience: client.id })
    assert.equal(protectedHeader.typ, 'logout+jwt')
    assert.containSubset(payload, { sub: user.id, sid, events: { [LOGOUT_EVENT]: {} } })
    assert.equal(payload.iss, decodeJwt(tokens.access_token).iss)
    assert.notProperty(payload, 'nonce')
    assert.deepEqual(await waiting(), [])
    assert.equal((await send('GET', '/users/@me', token)).status, 401)
    assert.equal((await refresh(token!)).status, 400)
  })

  const ENDS: Record<string, (id: string) => Promise<unknown>> = {
    'the user is deleted': (id) => remove('user', id),
    'the user is deactivated': (id) => change('user', id, { active: false }),
    'the password is changed': (id) => change('user', id, { password: 'another long password' }),
  }

  test('logouts are also sent when {0}')
    .with(Object.entries(ENDS))
    .run(async ({ assert }, [, end]) => {
      const { user, sid } = await signedIn()
      await end(user.id)
      await announce()
      assert.deepEqual(
        program.tokens.map((token) => decodeJwt(token).sid),
        [sid]
      )
    })

  test('logouts are retried if the client fails or redirects', async ({ assert }) => {
    const { tokens } = await signedIn()
    await post('/token/revoke', { token: tokens.refresh_token })
    for (const status of [500, 302]) {
      program.statuses.push(status)
      await announce()
      await identityPool().query(`update identity_tasks set due_at = now() - interval '1 minute'`)
    }
    assert.deepEqual(await waiting(), [{ attempts: 2 }])
    await announce()
    assert.lengthOf(program.tokens, 3)
    assert.deepEqual(await waiting(), [])
  })

  test('logouts are not sent for clients without an address and for expired sessions', async ({
    assert,
  }) => {
    const user = await makeUser()
    const silent = await makeClient()
    const login = { username: user.name, password: PASSWORD, client_id: silent.id }
    const { body } = await byPassword(login)
    await post('/token/revoke', { token: body.refresh_token })
    const { sid } = await signedIn()
    const over = `update identity_token_sessions set expires_at = now() - interval '1 second' where id = $1`
    await identityPool().query(over, [sid])
    await identityPool().query('delete from identity_token_sessions where id = $1', [sid])
    assert.deepEqual(await waiting(), [])
  })

  test('logouts go in production only where the operator listed the origin', ({ assert }) => {
    const setting = {
      isProduction: true,
      uiOrigins: ['https://ui.test'],
      logoutOrigins: ['https://app.test'],
    }
    assert.isTrue(isAllowedAddress('https://app.test/logout', setting))
    assert.isTrue(isAllowedAddress('https://ui.test/logout', setting))
    for (const address of [
      'http://169.254.169.254/',
      'https://app.test:8443/',
      'http://app.test/',
    ]) {
      assert.isFalse(isAllowedAddress(address, setting), address)
    }
  })

  test('logouts go to one address of the web and nothing else', async ({ assert }) => {
    const { access_token: admin } = (await byPassword()).body
    for (const backchannelLogoutUri of [
      'ftp://app.test/',
      'https://a:b@app.test/',
      'nonsense',
      '',
    ]) {
      const client = { name: unique('client'), backchannelLogoutUri }
      const { status, body } = await send('POST', '/clients', admin, client)
      assert.equal(status, 400, backchannelLogoutUri)
      assert.deepEqual(body.issues[0].path, ['backchannelLogoutUri'])
    }
  })
})
