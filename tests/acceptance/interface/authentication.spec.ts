import { test } from '@japa/runner'

import { address, SERVICES, useInstallation } from './installation.js'
import { accessToken, CANNOT_INVITE, canInvite, invite } from './login.js'
import { OPERATIONS } from './operations.js'
import { call, create, KINDS, pathOf, uniqueName } from './records.js'

const SECRET = 'harbor-secret'

test.group('Interface: authentication', (group) => {
  useInstallation(group)

  const refused: Record<string, string>[] = [
    {},
    { authorization: 'Bearer not-a-token' },
    { authorization: 'Basic YWRtaW46c3RhcnQxMjM=' },
  ]
  test('Authentication 1b: everything of {$self} but health needs a bearer token')
    .with([...SERVICES])
    .run(async ({ assert }, service) => {
      for (const operation of OPERATIONS[service]) {
        const [method, path] = operation.split(' ') as [string, string]
        for (const headers of refused) {
          const response = await fetch(address(service, path), { method, headers })
          assert.equal(response.status, 401, `${operation} ${headers.authorization}`)
          assert.containsSubset(await response.json(), { code: 'identity_unauthorized' })
        }
      }
    })

  test('Authentication 1b: a bearer token is accepted', async ({ assert }) => {
    for (const kind of KINDS) {
      assert.equal((await call(pathOf(kind))).status, 200)
    }
  })

  test('Authentication 4: permissions have snake_case names', async ({ assert, cleanup }) => {
    const token = await invite(['node_update'])
    const node = await create('node', {}, cleanup)
    const update = { method: 'POST', body: { name: uniqueName() }, token }
    assert.equal((await call(`/nodes/${node.id}`, update)).status, 202)

    const attempts = {
      node_create: await call('/nodes', update),
      node_delete: await call(`/nodes/${node.id}`, { method: 'DELETE', token }),
      registry_manage: await call('/registries', {
        ...update,
        body: { name: uniqueName(), host: 'registry.example.org' },
      }),
    }
    for (const [permission, { status, body }] of Object.entries(attempts)) {
      assert.equal(status, 403)
      assert.deepEqual(body.issues[0].path, [permission])
    }
  }).skip(() => !canInvite(), CANNOT_INVITE)

  test('Authentication 9: the secret of an account is stripped from {$self} unless it may be seen')
    .with(['list', 'record', 'relation'] as const)
    .run(async ({ assert, cleanup }, where) => {
      const registry = await create('registry', { accountSecret: SECRET }, cleanup)
      const node = await create('node', { registryId: registry.id }, cleanup)
      const path = {
        list: `/registries?filter[id]=${registry.id}&fields=id,%2BaccountSecret`,
        record: `/registries/${registry.id}?fields=id,%2BaccountSecret`,
        relation: `/nodes/${node.id}?include=registry&fields[registry]=%2BaccountSecret`,
      }[where]
      const managing = await invite(['registry_manage'])
      const visiting = await invite(['node_update', 'registry_project_manage'])
      const seen = await call(path, { token: managing })
      const withheld = await call(path, { token: visiting })
      assert.include(JSON.stringify(seen.body.data), SECRET)
      assert.equal(withheld.status, 200)
      assert.include(JSON.stringify(withheld.body.data), registry.id)
      assert.notInclude(JSON.stringify(withheld.body.data), SECRET)
      assert.notInclude(JSON.stringify(withheld.body.data), 'accountSecret')
    })
    .skip(() => !canInvite(), CANNOT_INVITE)

  test('Authentication 2: a browser may read with the cookie access_token', async ({ assert }) => {
    const headers = { cookie: `theme=dark; access_token=${await accessToken()}` }
    assert.equal((await call('/nodes', { token: null, headers })).status, 200)

    const refusals = {
      'another name': await call('/nodes', {
        token: null,
        headers: { cookie: `other_access_token=${await accessToken()}` },
      }),
      'a header that says otherwise': await call('/nodes', { token: 'not-a-token', headers }),
      'a change': await call('/nodes', { method: 'POST', body: {}, token: null, headers }),
    }
    for (const [reason, { status }] of Object.entries(refusals)) {
      assert.equal(status, 401, reason)
    }
  }).skip(() => Boolean(process.env.COOKIE_PREFIX), 'this installation has a prefix of its own')
})
