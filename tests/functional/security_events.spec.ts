import { test } from '@japa/runner'

import { node } from '#core/nodes/node'
import { registry } from '#core/registries/registry'
import { registryProject } from '#core/registry_projects/registry_project'
import { storedSecret } from '#identity/embedded/client_secrets'
import { client } from '#identity/clients/client'
import type { SecurityEvent } from '#audit/security_event'
import { noteGatheredRefusals, useSecuritySink } from '#tests/helpers/container'
import { clock } from '#kernel/clock'
import type { SurfaceName } from '#configuration/surfaces'
import { at } from '#tests/helpers/application'
import { identity, REALMS } from '#tests/helpers/identities'
import { sampleRecord } from '#tests/helpers/sample_records'

const SECRET = 'nobody-may-keep-this'

let noted: SecurityEvent[] = []

function listen(): () => void {
  noted = []
  return useSecuritySink({ record: async (event) => void noted.push(event) })
}

const refusing = () => useSecuritySink({ record: () => Promise.reject(new Error('full')) })
const hanging = () => useSecuritySink({ record: () => new Promise(() => {}) })

interface Caller {
  headers: Record<string, string>
}

async function ask(
  surface: SurfaceName,
  path: string,
  { headers }: Caller,
  { method = 'GET', body }: { method?: string; body?: object } = {}
) {
  const response = await fetch(at(surface, path), {
    method,
    headers: { ...headers, 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  })
  const text = await response.text()
  return { status: response.status, text, body: JSON.parse(text) }
}

test.group('Security events of refusals', (group) => {
  group.each.setup(async () => {
    await noteGatheredRefusals()
    return listen()
  })

  const caller = () => identity({ permissions: [], realmId: REALMS.other, realmName: 'other' })

  test('the refusal of a permission is recorded once, with actor, subject and permission', async ({
    assert,
  }) => {
    const somebody = caller()
    const { id } = await sampleRecord('core', node)
    const { status } = await ask('core', `/nodes/${id}?x=${SECRET}`, somebody, {
      method: 'POST',
      body: { hidden: true, publicKey: SECRET },
    })
    assert.equal(status, 403)
    await noteGatheredRefusals()
    assert.lengthOf(noted, 1)
    assert.containSubset(noted[0], {
      count: 1,
      type: 'permissionRefused',
      subject: 'core.updateNode',
      id,
      realmId: REALMS.other,
      permissions: ['node_update'],
      origin: { address: '127.0.0.1', actor: { id: somebody.actor.id } },
    })
    assert.isNotEmpty(noted[0]!.origin.requestId)
    const text = JSON.stringify(noted)
    assert.notInclude(text, SECRET)
    assert.notInclude(text, somebody.token)
  })

  test('the refusal of a record of another realm is recorded too', async ({ assert }) => {
    const { id } = await sampleRecord('core', node, { realmId: REALMS.master })
    const owner = identity({ realmId: REALMS.other, realmName: 'other' })
    const { status } = await ask('core', `/nodes/${id}`, owner, { method: 'DELETE' })
    assert.equal(status, 403)
    await noteGatheredRefusals()
    assert.containSubset(noted, [{ type: 'permissionRefused', subject: 'core.deleteNode', id }])
    assert.lengthOf(noted, 1)
  })

  test('the refusal is not recorded for invalid requests and unauthenticated callers', async ({
    assert,
  }) => {
    const admin = identity()
    const stranger = { headers: { authorization: 'Bearer made-up' } }
    const answers = [
      await ask('core', `/nodes/${clock.uuid()}`, admin),
      await ask('core', '/nodes', admin, { method: 'POST', body: {} }),
      await ask('core', '/nodes', stranger),
    ]
    assert.deepEqual(
      answers.map(({ status }) => status),
      [404, 400, 401]
    )
    await noteGatheredRefusals()
    assert.isEmpty(noted)
  })

  test('the refusal does not wait for the record, or depend on it', async ({ assert, cleanup }) => {
    const { id } = await sampleRecord('core', node)
    for (const sink of [hanging, refusing]) {
      cleanup(sink())
      const { status, body } = await ask('core', `/nodes/${id}`, caller(), { method: 'DELETE' })
      assert.equal(status, 403)
      assert.equal(body.code, 'permission_denied')
    }
  })
})

test.group('Reading a secret', (group) => {
  const admin = identity({ permissions: ['registry_manage', 'client_read'] })
  const nobody = identity({ permissions: [] })
  let ids: Record<'registry' | 'project' | 'node' | 'client', string>

  group.each.setup(async () => {
    const { id } = await sampleRecord('core', registry, { accountSecret: SECRET })
    const project = await sampleRecord('core', registryProject, {
      registryId: id,
      accountSecret: SECRET,
      realmId: REALMS.other,
    })
    const { id: nodeId } = await sampleRecord('core', node, {
      registryId: id,
      registryProjectId: project.id,
    })
    const { id: clientId } = await sampleRecord('identity', client, await storedSecret(SECRET))
    ids = { registry: id, project: project.id, node: nodeId, client: clientId } as typeof ids
  })
  group.each.setup(listen)

  const ways = (): [SurfaceName, string, keyof typeof ids][] => [
    ['core', `/registries/${ids.registry}?fields=%2BaccountSecret`, 'registry'],
    ['core', `/registries/${ids.registry}?fields=accountSecret`, 'registry'],
    ['core', `/registries?fields=accountSecret&filter[id]=${ids.registry}`, 'registry'],
    ['core', `/registry-projects/${ids.project}?fields=accountSecret`, 'project'],
    ['core', `/nodes/${ids.node}?fields=registry.accountSecret`, 'registry'],
    ['core', `/nodes/${ids.node}?include=registry&fields[registry]=accountSecret`, 'registry'],
    ['core', `/nodes?filter[id]=${ids.node}&fields=registryProject.accountSecret`, 'project'],
    ['identity', `/clients/${ids.client}?fields=%2Bsecret`, 'client'],
    ['identity', `/clients/${ids.client}?fields=secret`, 'client'],
    ['identity', `/clients?fields=secret&filter[id]=${ids.client}`, 'client'],
  ]

  test('the read is recorded once, with its owner, whatever fields are requested', async ({
    assert,
  }) => {
    for (const [surface, path, owner] of ways()) {
      noted = []
      const { text } = await ask(surface, path, admin)
      assert.include(text, SECRET, path)
      assert.lengthOf(noted, 1, path)
      assert.containSubset(noted[0], {
        type: 'secretRead',
        subject: owner === 'project' ? 'registryProject' : owner,
        id: ids[owner],
        origin: { actor: { id: admin.actor.id } },
      })
      assert.notInclude(JSON.stringify(noted), SECRET)
    }
  })

  test('the read names the realm of its owner', async ({ assert }) => {
    await ask('core', `/registry-projects/${ids.project}?fields=accountSecret`, admin)
    assert.equal(noted[0]!.realmId, REALMS.other)
    noted = []
    await ask('core', `/registries/${ids.registry}?fields=accountSecret`, admin)
    assert.isNull(noted[0]!.realmId)
  })

  test('the read returns the requested fields only', async ({ assert }) => {
    const single = await ask(
      'core',
      `/registry-projects/${ids.project}?fields=accountSecret`,
      admin
    )
    assert.deepEqual(single.body.data, { accountSecret: SECRET })
    const along = await ask(
      'core',
      `/nodes/${ids.node}?fields=registryProject.accountSecret`,
      admin
    )
    assert.deepEqual(along.body.data.registryProject, { accountSecret: SECRET })
    const list = await ask('identity', `/clients?fields=secret&filter[id]=${ids.client}`, admin)
    assert.deepEqual(list.body.data, [{ secret: SECRET }])
    const included = `/nodes/${ids.node}?include=registry&fields[registry]=accountSecret`
    const { body } = await ask('core', included, admin)
    assert.deepEqual(body.data.registry, { id: ids.registry, accountSecret: SECRET })
  })

  test('the read fails if it cannot be recorded', async ({ assert, cleanup }) => {
    cleanup(refusing())
    for (const [surface, path] of ways()) {
      const { status, text } = await ask(surface, path, admin)
      assert.equal(status, 500, path)
      assert.notInclude(text, SECRET)
    }
    assert.equal((await ask('core', `/registries/${ids.registry}`, admin)).status, 200)
  })

  test('the read is not recorded if no secret is shown', async ({ assert }) => {
    for (const [surface, path] of ways()) {
      assert.notInclude((await ask(surface, path, nobody)).text, SECRET)
    }
    const { id } = await sampleRecord('identity', client, { secret: null, secretDigest: null })
    await sampleRecord('core', registry)
    await ask('core', '/registries', admin)
    await ask('identity', `/clients/${id}`, admin)
    await ask('identity', `/clients/${ids.client}?include=realm`, admin)
    assert.isEmpty(noted)
  })

  test('the read is recorded for each secret in a list', async ({ assert }) => {
    const { id } = await sampleRecord('core', registry, { accountSecret: SECRET })
    const list = `/registries?fields=%2BaccountSecret&filter[id]=${ids.registry},${id}`
    const { body } = await ask('core', list, admin)
    assert.lengthOf(body.data, 2)
    assert.sameMembers(
      noted.map((event) => event.id),
      [ids.registry, id]
    )
    noted = []
    const other = await sampleRecord('core', node, { registryId: ids.registry })
    const twice = `/nodes?fields=registry.accountSecret&filter[id]=${ids.node},${other.id}`
    assert.lengthOf((await ask('core', twice, admin)).text.split(SECRET), 3)
    assert.lengthOf(noted, 1)
  })
})
