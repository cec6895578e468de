import { test } from '@japa/runner'

import { identityProvider } from '#core/clients/identity_provider'
import { databaseUrl } from '#database/addresses'
import { pools } from '#database/pools'
import type { SecurityEvent } from '#audit/security_event'
import { useSecuritySink } from '#tests/helpers/container'
import { at } from '#tests/helpers/application'
import { identity } from '#tests/helpers/identities'

import { call, member, newRealm, uniqueName } from './node_scene.js'

const SECRET = /^[0-9a-f]{64}$/

test.group('Credentials of nodes', (group) => {
  let realmId: string
  let manager: ReturnType<typeof member>
  let node: { id: string; clientId: string }
  let path: string

  group.setup(async () => {
    realmId = await newRealm()
    manager = member(realmId, ['node_create', 'node_update', 'node_delete'])
  })

  group.each.setup(async () => {
    const body = { name: uniqueName() }
    node = (await call('POST', '/nodes', { headers: manager.headers, body })).body.data
    path = `/nodes/${node.id}/client/credentials`
  })

  const read = ({ headers } = manager) => call('GET', path, { headers })
  const rotate = (body?: unknown, { headers } = manager) => call('POST', path, { headers, body })

  /** The client of the node. */
  const self = () =>
    identity({
      kind: 'client',
      id: node.clientId,
      realmId,
      realmName: 'site',
      permissions: ['analysis_update'],
    })

  async function canLogIn(secret: string): Promise<boolean> {
    const response = await fetch(at('identity', '/token'), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        grant_type: 'client_credentials',
        client_id: node.clientId,
        client_secret: secret,
        realm_id: realmId,
      }),
    })
    return response.status === 200
  }

  test('credentials are flat, and the client can log in with them', async ({ assert }) => {
    const { status, body, headers } = await read()
    assert.equal(status, 200)
    assert.deepEqual(body, {
      id: node.clientId,
      name: node.id,
      displayName: node.id,
      secret: body.secret,
    })
    assert.match(body.secret, SECRET)
    assert.isTrue(await canLogIn(body.secret))
    assert.equal(headers.get('cache-control'), 'private, no-store')
  })

  test('credentials get a random secret if none is sent', async ({ assert }) => {
    const { secret: former } = (await read()).body
    for (const sent of [undefined, {}, { secret: null }, { name: null, displayName: null }]) {
      const { status, body, headers } = await rotate(sent)
      assert.equal(status, 200)
      assert.match(body.secret, SECRET)
      assert.notEqual(body.secret, former)
      assert.equal(body.name, node.id)
      assert.equal(body.displayName, node.id)
      assert.equal((await read()).body.secret, body.secret)
      assert.equal(headers.get('cache-control'), 'private, no-store')
    }
    assert.isFalse(await canLogIn(former))
  })

  test('credentials get the secret that is sent and show it', async ({ assert }) => {
    const sent = { secret: 'a-secret-of-ours', name: uniqueName('client'), displayName: 'Node A' }
    const { status, body } = await rotate(sent)
    assert.equal(status, 200)
    assert.deepEqual(body, { id: node.clientId, ...sent })
    assert.deepEqual((await read()).body, { id: node.clientId, ...sent })
    assert.isTrue(await canLogIn(sent.secret))
  })

  test('credentials keep names that are not sent', async ({ assert }) => {
    await rotate({ displayName: 'Node A' })
    const { body } = await rotate({ secret: 'a-secret-of-ours' })
    assert.equal(body.displayName, 'Node A')
  })

  test('credentials of old clients: display_name is dropped and the secret is replaced', async ({
    assert,
  }) => {
    const { secret } = (await read()).body
    const { status, body, headers } = await rotate({ display_name: 'Node A' })
    assert.equal(status, 200)
    assert.equal(body.displayName, node.id)
    assert.notEqual(body.secret, secret)
    assert.equal(headers.get('x-dropped-keys'), 'body.display_name')
  })

  test('credentials are accessible to the node itself without permissions', async ({ assert }) => {
    assert.equal((await read(self())).body.id, node.clientId)
    const { status, body } = await rotate({}, self())
    assert.equal(status, 200)
    assert.match(body.secret, SECRET)
  })

  test('credentials are not accessible to clients of other nodes, or to a user with the same id', async ({
    assert,
  }) => {
    const stranger = member(realmId, ['analysis_update'], { kind: 'client' })
    const namesake = member(realmId, ['analysis_update'], { kind: 'user', id: node.clientId })
    const robot = member(realmId, ['analysis_update'], { kind: 'robot', id: node.clientId })
    for (const somebody of [stranger, namesake, robot]) {
      for (const { status, body } of [await read(somebody), await rotate({}, somebody)]) {
        assert.equal(status, 403)
        assert.deepEqual(body.issues[0].path, ['node_update'])
        assert.notProperty(body, 'secret')
      }
    }
  })

  test('credentials of a master realm member need the permission too', async ({ assert }) => {
    assert.equal((await read(identity({ permissions: [] }))).status, 403)
    assert.equal((await read(identity({ permissions: ['node_update'] }))).status, 200)
  })

  test('C6: of a client that is missing at the provider are not found', async ({ assert }) => {
    const provider = await identityProvider()
    await provider.clients!.remove(node.clientId)
    for (const { status, body } of [await read(), await rotate()]) {
      assert.equal(status, 404)
      assert.equal(body.code, 'entity_not_found')
    }
  })

  test('credentials are audited with the actor when they are read or replaced', async ({
    assert,
    cleanup,
  }) => {
    const noted: SecurityEvent[] = []
    cleanup(useSecuritySink({ record: async (event) => void noted.push(event) }))
    await read()
    await rotate()
    assert.deepEqual(
      noted.map(({ type, subject, id, origin }) => [type, subject, id, origin.actor!.id]),
      Array.from({ length: 2 }, () => ['secretRead', 'client', node.clientId, manager.actor.id])
    )
  })

  test('credentials are neither shown nor replaced if the audit fails', async ({
    assert,
    cleanup,
  }) => {
    const { secret } = (await read()).body
    const stop = useSecuritySink({ record: () => Promise.reject(new Error('full')) })
    cleanup(stop)
    for (const { status, body } of [await read(), await rotate()]) {
      assert.equal(status, 500)
      assert.notProperty(body, 'secret')
    }
    stop()
    assert.equal((await read()).body.secret, secret)
  })

  test('credentials are recorded permanently when replaced, without the secret', async ({
    assert,
  }) => {
    await rotate({ secret: 'not-to-be-seen' }, self())
    const { rows } = await pools.for(databaseUrl('core')).query(
      `select content->'change' as change from outbox
       where content->'change'->>'id' = $1 and (content->'change'->>'isLasting')::boolean`,
      [node.id]
    )
    assert.lengthOf(rows, 1)
    assert.equal(rows[0].change.doer.actor.id, node.clientId)
    const { rows: all } = await pools
      .for(databaseUrl('core'))
      .query(`select 1 from outbox where content::text ~ 'not-to-be-seen'`)
    assert.isEmpty(all)
  })
})
