import { test } from '@japa/runner'

import { providerAddress, SERVICE_SECRET, useInstallation } from './installation.js'
import { accessToken, ADMINISTRATOR, CANNOT_INVITE, canInvite } from './login.js'
import { call, create, createNodes, each } from './records.js'

async function token(parameters: Record<string, string>) {
  const response = await fetch(providerAddress('/token'), {
    method: 'POST',
    body: new URLSearchParams(parameters),
  })
  return { status: response.status, body: (await response.json()) as any }
}

test.group('Interface: versioning', (group) => {
  useInstallation(group)

  test('Versioning 3: no answer has a name in snake_case beside its camelCase one', async ({
    assert,
    cleanup,
  }) => {
    const { id } = await create('node', {}, cleanup)
    const text = JSON.stringify((await call(`/nodes?filter[id]=${id}&include=registry`)).body)
    assert.include(text, '"registryProjectId"')
    assert.notMatch(text, /"[a-z]+_[a-z_]+"/)
  })

  test('Versioning 3: {old} is no other name for {key}')
    .with([
      { key: 'realmId', old: 'realm_id' },
      { key: 'clientId', old: 'client_id' },
      { key: 'robotId', old: 'robot_id' },
    ])
    .run(async ({ assert, cleanup }, { key, old }) => {
      const { these } = await createNodes(2, cleanup)
      const nowhere = '00000000-0000-4000-8000-000000000000'
      assert.equal((await call(`/nodes?${these}&filter[${key}]=${nowhere}`)).body.meta.total, 0)
      assert.equal((await call(`/nodes?${these}&filter[${old}]=${nowhere}`)).body.meta.total, 2)
      assert.equal((await call(`/nodes?filter=eq(${old},'${nowhere}')`)).status, 400)
    })

  test('Versioning 4: OAuth parameters and claims stay snake_case', async ({ assert }) => {
    const { username, password } = ADMINISTRATOR
    const granted = await token({ grant_type: 'password', username, password })
    assert.equal(granted.status, 200)
    assert.includeMembers(Object.keys(granted.body), ['access_token', 'expires_in', 'token_type'])
    const renamed = await token({ grantType: 'password', username, password })
    assert.equal(renamed.status, 400)

    const introspection = await fetch(providerAddress('/token/introspect'), {
      method: 'POST',
      body: new URLSearchParams({ token: await accessToken() }),
    })
    const claims = (await introspection.json()) as any
    assert.includeMembers(Object.keys(claims), ['sub_kind', 'realm_id', 'realm_name', 'client_id'])
    assert.include(
      claims.permissions.map(({ name }: any) => name),
      'registry_manage'
    )
    assert.notMatch(JSON.stringify(Object.keys(claims)), /[A-Z]/)
  }).skip(() => !canInvite(), CANNOT_INVITE)

  test('Versioning 4: a client signs in with client_id and client_secret', async ({ assert }) => {
    const answer = await token({ grant_type: 'client_credentials', clientId: 'system' })
    assert.isAtLeast(answer.status, 400)
    const known = await token({
      grant_type: 'client_credentials',
      client_id: 'system',
      client_secret: SERVICE_SECRET,
    })
    assert.equal(known.status, 200)
  }).skip(() => !canInvite(), CANNOT_INVITE)

  test('Versioning 5: an old key of {$self} is dropped without an error')
    .with(['filter[created_at]=2000-01-01', 'sort=-updated_at', 'include=registry_project'])
    .run(async ({ assert, cleanup }, query) => {
      const { nodes, these } = await createNodes(2, cleanup)
      const { status, body } = await call(`/nodes?${these}&${query}`)
      assert.equal(status, 200)
      assert.sameDeepMembers(body.data, nodes)
    })

  test('Versioning 5: an old field is absent, and an old body key leaves its field unset', async ({
    assert,
    cleanup,
  }) => {
    const node = await create('node', { public_key: 'harbor-key' }, cleanup)
    assert.isNull(node.publicKey)
    const answer = await call(`/nodes?filter[id]=${node.id}&fields=id,public_key`)
    assert.equal(answer.status, 200)
    assert.deepEqual(answer.body.data, [{ id: node.id }])
    assert.deepEqual(each('id', answer), [node.id])
  })
})
