import { randomUUID } from 'node:crypto'

import { test } from '@japa/runner'

import { eventually } from '#tests/helpers/eventually'

import { address, useInstallation } from './installation.js'
import { accessToken, CANNOT_INVITE, canInvite, invite, signInClient } from './login.js'
import { call, create } from './records.js'

const bucketsOf = (analysisId: string): Promise<any[]> =>
  eventually(async () => {
    const { body } = await call(`/analysis-buckets?filter[analysisId]=${analysisId}`)
    return body.meta.total === 3 && body.data
  })

const credentialsOf = (id: string) => `/nodes/${id}/client/credentials`
const CREDENTIALS = ['id', 'name', 'displayName', 'secret']
const REGISTRY_CREDENTIALS = ['accountName', 'accountSecret', 'externalName', 'host']

test.group('Interface: what core returns and has done', (group) => {
  useInstallation(group)

  test('What the service does row 1: projects, nodes, analyses, registries, images and credentials are stored', async ({
    assert,
    cleanup,
  }) => {
    const node = await create('node', {}, cleanup)
    const registry = await create('registry', {}, cleanup)
    const analysis = await create('analysis', {}, cleanup)
    for (const path of [
      `/nodes/${node.id}`,
      `/registries/${registry.id}`,
      `/projects/${analysis.projectId}`,
      `/analyses/${analysis.id}`,
      '/master-images',
      credentialsOf(node.id),
      `/analyses/${analysis.id}/client/credentials`,
    ]) {
      assert.equal((await call(path)).status, 200, path)
    }
  })

  test('What the service does / Common rules 4: core applies what storage reports of buckets', async ({
    assert,
    cleanup,
  }) => {
    const { id } = await create('analysis', {}, cleanup)
    const buckets = await bucketsOf(id)
    assert.sameMembers(
      buckets.map(({ type }) => type),
      ['CODE', 'RESULT', 'TEMP']
    )
  })

  test('What the service does / Common rules 5: storage makes the buckets that core asks for', async ({
    assert,
    cleanup,
  }) => {
    const { id } = await create('analysis', {}, cleanup)
    const buckets = await bucketsOf(id)
    const headers = { authorization: `Bearer ${await accessToken()}` }
    for (const { bucketId, type } of buckets) {
      const response = await fetch(address('storage', `/buckets/${bucketId}`), { headers })
      const { data } = (await response.json()) as { data: { name: string } }
      assert.equal(data.name, `analysis-${type.toLowerCase()}-files.${id}`)
    }
  })

  test('Events / Domain events 2: core acts on what its components tell', async ({
    assert,
    cleanup,
  }) => {
    const { id } = await create('analysis', {}, cleanup)
    const code = (await bucketsOf(id)).find(({ type }) => type === 'CODE')
    const form = new FormData()
    form.append('file', new Blob(['print(1)']), 'main.py')
    const headers = { authorization: `Bearer ${await accessToken()}` }
    const path = `/buckets/${code.bucketId}/upload`
    await fetch(address('storage', path), { method: 'POST', headers, body: form })
    const [file] = await eventually(async () => {
      const { body } = await call(`/analysis-bucket-files?filter[analysisBucketId]=${code.id}`)
      return body.meta.total === 1 && body.data
    })
    assert.containsSubset(file, { path: 'main.py', analysisId: id, root: false })
  })

  test('Endpoints / Core service row 7: an analysis takes commands', async ({
    assert,
    cleanup,
  }) => {
    const { id } = await create('analysis', {}, cleanup)
    const command = (name: string) =>
      call(`/analyses/${id}/command`, { method: 'POST', body: { command: name } })
    const taken = await command('storageCheck')
    assert.equal(taken.status, 202)
    assert.equal(taken.body.data.id, id)
    assert.deepEqual(taken.body.meta, {})
    const refused = await command('buildStart')
    assert.deepEqual([refused.status, refused.body.code], [400, 'ANALYSIS_ERROR'])
    assert.equal((await command('another')).body.code, 'bad_request')
  })

  test('Endpoints / Core service row 9: an image is read and deleted by its id', async ({
    assert,
  }) => {
    const path = `/master-images/${randomUUID()}`
    for (const method of ['GET', 'DELETE']) {
      const { status, body } = await call(path, { method })
      assert.equal(status, 404)
      assert.include(body.message, 'master-image')
    }
    assert.notInclude((await call(path, { method: 'POST', body: {} })).body.message, 'image')
  })

  test('Endpoints / Core service row 11: client credentials of a node are read, flat', async ({
    assert,
    cleanup,
  }) => {
    const { id, clientId } = await create('node', {}, cleanup)
    const { status, body } = await call(credentialsOf(id))
    assert.equal(status, 200)
    assert.sameMembers(Object.keys(body), CREDENTIALS)
    assert.deepEqual([body.id, body.name, body.displayName], [clientId, id, id])
  })

  test('Endpoints / Core service row 12: client credentials of a node are set, flat', async ({
    assert,
    cleanup,
  }) => {
    const { id } = await create('node', {}, cleanup)
    const before = (await call(credentialsOf(id))).body
    const secret = 'a-secret-of-the-test'
    const former = { secret, display_name: 'dropped' }
    const set = await call(credentialsOf(id), { method: 'POST', body: former })
    assert.equal(set.status, 200)
    assert.deepEqual(set.body, { ...before, secret })
  })

  test('Endpoints / Core service row 15: registry credentials of a node are read, flat', async ({
    assert,
    cleanup,
  }) => {
    const registry = await create('registry', {}, cleanup)
    const { id } = await create('node', { registryId: registry.id }, cleanup)
    const { status, body } = await call(`/nodes/${id}/registry/credentials`)
    assert.equal(status, 200)
    assert.sameMembers(Object.keys(body), REGISTRY_CREDENTIALS)
  })

  test('Resources / Credential projections row 2: registry credentials join registry and registry project', async ({
    assert,
    cleanup,
  }) => {
    const registry = await create('registry', {}, cleanup)
    const { id } = await create('node', { registryId: registry.id }, cleanup)
    const { registryProject } = (await call(`/nodes/${id}?include=registryProject`)).body.data
    const { body } = await call(`/nodes/${id}/registry/credentials`)
    const { host, externalName, accountName } = body
    assert.equal(host, registry.host)
    assert.deepEqual(
      [externalName, accountName],
      [registryProject.externalName, registryProject.accountName]
    )
  })

  test('Endpoints / Core service row 18: a hook answers 202 and null', async ({ assert }) => {
    const answer = await call('/services/registry/hook', { method: 'POST', body: {} })
    assert.deepEqual([answer.status, answer.body], [202, null])
  })

  test('Endpoints / Core service row 19: a command for a registry answers 202 and null', async ({
    assert,
    cleanup,
  }) => {
    const { id } = await create('registry', {}, cleanup)
    const body = { command: 'cleanup', id }
    const answer = await call('/services/registry/command', { method: 'POST', body })
    assert.deepEqual([answer.status, answer.body], [202, null])
  })

  test('Resources / Analysis attributes 2: the further columns of images, files, registries and buckets exist', async ({
    assert,
  }) => {
    const shown = async (url: string) => {
      const headers = { authorization: `Bearer ${await accessToken()}` }
      const { meta } = (await (await fetch(url, { headers })).json()) as any
      return meta.schema.fields.default as string[]
    }
    assert.includeMembers(await shown(address('core', '/master-images')), [
      'buildHash',
      'path',
      'name',
    ])
    assert.include(await shown(address('core', '/registries')), 'name')
    assert.include(await shown(address('storage', '/buckets')), 'name')
    assert.include(await shown(address('storage', '/bucket-files')), 'hash')
  })

  test('Versioning 7: flat answers and bodies of core have the new names', async ({
    assert,
    cleanup,
  }) => {
    const registry = await create('registry', {}, cleanup)
    const node = await create('node', { registryId: registry.id }, cleanup)
    const analysis = await create('analysis', {}, cleanup)
    const flat = [
      await call(credentialsOf(node.id)),
      await call(`/analyses/${analysis.id}/client/credentials`),
      await call(`/nodes/${node.id}/registry/credentials`),
    ]
    assert.deepEqual(
      flat.flatMap(({ body }) => Object.keys(body)).filter((name) => name.includes('_')),
      []
    )
    const former = { analysis_id: analysis.id, node_id: node.id, message: 'started' }
    const written = await call('/analysis-node-logs', { method: 'POST', body: former })
    assert.equal(written.status, 400)
    const permissions = `/analyses/${analysis.id}/client/permissions`
    const body = { permission_id: 'analysis_self_storage_use' }
    assert.equal((await call(permissions, { method: 'POST', body })).status, 400)
  })

  const own = test(
    'Authentication 5: the client of a node reads its registry credentials without permission'
  ).run(async ({ assert, cleanup }) => {
    const registry = await create('registry', {}, cleanup)
    const node = await create('node', { registryId: registry.id }, cleanup)
    const other = await create('node', { registryId: registry.id }, cleanup)
    const token = await signInClient(node.clientId as string)
    assert.equal((await call(`/nodes/${node.id}/registry/credentials`, { token })).status, 200)
    assert.equal((await call(`/nodes/${other.id}/registry/credentials`, { token })).status, 403)
    const nobody = await invite([])
    const refused = await call(`/nodes/${node.id}/registry/credentials`, { token: nobody })
    assert.equal(refused.status, 403)
  })
  own.skip(() => !canInvite(), CANNOT_INVITE)

  const holders = test(
    'Authentication 6: credentials of a node are for its own client and for holders of node_update'
  ).run(async ({ assert, cleanup }) => {
    const [node, other] = [await create('node', {}, cleanup), await create('node', {}, cleanup)]
    const itself = await signInClient(node.clientId as string)
    const holder = await invite(['node_update', 'analysis_update'])
    const nobody = await invite([])
    for (const [token, path, status] of [
      [nobody, credentialsOf(node.id), 403],
      [itself, credentialsOf(other.id), 403],
      [holder, credentialsOf(other.id), 200],
      [itself, credentialsOf(node.id), 200],
    ] as const) {
      assert.equal((await call(path, { token })).status, status)
      assert.equal((await call(path, { method: 'POST', body: {}, token })).status, status)
    }
  })
  holders.skip(() => !canInvite(), CANNOT_INVITE)
})
