import { test } from '@japa/runner'

import { providerAddress, useInstallation } from './installation.js'
import { accessToken, CANNOT_INVITE, canInvite, invite, signInClient } from './login.js'
import { call, create, requireDeleted } from './records.js'

const ATTRIBUTES = [
  'realmId',
  'userId',
  'projectId',
  'masterImageId',
  'registryId',
  'clientId',
  'displayName',
  'configurationLocked',
  'configurationEntrypointValid',
  'configurationImageValid',
  'configurationNodesValid',
  'buildStatus',
  'buildOs',
  'buildHash',
  'distributionStatus',
  'distributionProgress',
  'executionStatus',
  'executionProgress',
  'nodesApproved',
  'createdAt',
  'updatedAt',
]

const CREDENTIALS = ['id', 'name', 'displayName', 'secret']
const STORAGE = 'analysis_self_storage_use'

const credentialsOf = (id: string) => `/analyses/${id}/client/credentials`
const permissionsOf = (id: string) => `/analyses/${id}/client/permissions`

test.group('Interface: analyses', (group) => {
  useInstallation(group)

  test('Resources / Analysis attributes 1: an analysis carries what permission checks read', async ({
    assert,
    cleanup,
  }) => {
    const { id } = await create('analysis', {}, cleanup)
    const { data } = (await call(`/analyses/${id}`)).body
    assert.includeMembers(Object.keys(data), ATTRIBUTES)
  })

  test('Resources / Credential projections row 1: client credentials show secret and names', async ({
    assert,
    cleanup,
  }) => {
    const { id } = await create('analysis', {}, cleanup)
    const { status, body } = await call(credentialsOf(id))
    assert.equal(status, 200)
    assert.sameMembers(Object.keys(body), CREDENTIALS)
    assert.equal(body.name, id)
  })

  test('Endpoints / Core service row 8: images are listed with schema', async ({ assert }) => {
    const { status, body } = await call('/master-images')
    assert.equal(status, 200)
    assert.isArray(body.data)
    assert.equal(body.meta.schema.name, 'masterImage')
    assert.deepEqual(body.meta.schema.sorts.default, { path: 'ASC' })
  })

  test('Endpoints / Core service row 10: images take commands', async ({ assert }) => {
    const body = { command: 'sync' }
    const answer = await call('/master-images/command', { method: 'POST', body })
    assert.equal(answer.status, 202)
    assert.deepEqual(answer.body, { data: null, meta: {} })
    const unknown = await call('/master-images/command', { method: 'POST', body: {} })
    assert.equal(unknown.status, 400)
  })

  test('Endpoints / Core service row 13: client credentials are read, flat', async ({
    assert,
    cleanup,
  }) => {
    const { id, clientId } = await create('analysis', {}, cleanup)
    const { status, body } = await call(credentialsOf(id))
    assert.equal(status, 200)
    assert.equal(body.id, clientId)
    assert.isNotEmpty(body.secret)
  })

  test('Endpoints / Core service row 14: the client secret is rotated, flat', async ({
    assert,
    cleanup,
  }) => {
    const { id } = await create('analysis', {}, cleanup)
    const before = (await call(credentialsOf(id))).body
    const body = { secret: 'a-secret-of-the-test' }
    const given = await call(credentialsOf(id), { method: 'POST', body })
    assert.equal(given.status, 200)
    assert.deepEqual(given.body, { ...before, ...body })
    const random = await call(credentialsOf(id), { method: 'POST', body: {} })
    assert.notInclude([before.secret, body.secret], random.body.secret)
    assert.deepEqual((await call(credentialsOf(id))).body, random.body)
  })

  test('Endpoints / Core service row 16: client permissions are listed without schema', async ({
    assert,
    cleanup,
  }) => {
    const { id } = await create('analysis', {}, cleanup)
    const { status, body } = await call(permissionsOf(id))
    assert.equal(status, 200)
    assert.isArray(body.data)
    assert.notProperty(body.meta, 'schema')
  })

  test('Endpoints / Core service row 17: a client permission is given by permissionId', async ({
    assert,
    cleanup,
  }) => {
    const { id, clientId } = await create('analysis', {}, cleanup)
    const body = { permissionId: STORAGE }
    const { status, body: given } = await call(permissionsOf(id), { method: 'POST', body })
    assert.equal(status, 201)
    assert.equal(given.clientId, clientId)
    const listed = (await call(permissionsOf(id))).body.data
    assert.include(
      listed.map((each: any) => each.permission.name),
      STORAGE
    )
    const former = { permission_id: STORAGE }
    assert.equal((await call(permissionsOf(id), { method: 'POST', body: former })).status, 400)
  })

  const nodes = test(
    'Authentication 7: analysis credentials are for clients whose node approved the analysis'
  ).run(async ({ assert, cleanup }) => {
    const realm = await createRealm(cleanup)
    const node = await create('node', { realmId: realm }, cleanup)
    const analysis = await create('analysis', {}, cleanup)
    const approved = { approvalStatus: 'approved' }
    const member = await made('/project-nodes', { projectId: analysis.projectId, nodeId: node.id })
    await call(`/project-nodes/${member.id}`, { method: 'POST', body: approved })
    const assigned = await made('/analysis-nodes', { analysisId: analysis.id, nodeId: node.id })
    const token = await signInClient(node.clientId as string)
    assert.equal((await call(credentialsOf(analysis.id), { token })).status, 403)
    await call(`/analysis-nodes/${assigned.id}`, { method: 'POST', body: approved })
    const read = await call(credentialsOf(analysis.id), { token })
    assert.equal(read.status, 200)
    const rotated = await call(credentialsOf(analysis.id), { method: 'POST', body: {}, token })
    assert.equal(rotated.status, 200)
    assert.notEqual(rotated.body.secret, read.body.secret)
  })
  nodes.skip(() => !canInvite(), CANNOT_INVITE)

  const holders = test(
    'Authentication 8: analyses and their clients are checked with permissions that let their holders in'
  ).run(async ({ assert, cleanup }) => {
    const analysis = await create('analysis', {}, cleanup)
    const nobody = await invite([])
    const holder = await invite(['analysis_create', 'analysis_update', 'analysis_delete'])
    const body = { projectId: analysis.projectId }
    for (const [token, statuses] of [
      [nobody, [403, 403, 403, 403, 403]],
      [holder, [201, 202, 200, 200, 202]],
    ] as const) {
      const created = await call('/analyses', { method: 'POST', body, token })
      const id = created.body.data?.id ?? analysis.id
      const seen = [
        created,
        await call(`/analyses/${id}`, { method: 'POST', body: { displayName: 'Renamed' }, token }),
        await call(credentialsOf(id), { token }),
        await call(permissionsOf(id), { token }),
        await call(`/analyses/${id}`, { method: 'DELETE', token }),
      ]
      assert.deepEqual(
        seen.map(({ status }) => status),
        [...statuses]
      )
    }
  })
  holders.skip(() => !canInvite(), CANNOT_INVITE)
})

async function made(path: string, body: object): Promise<{ id: string }> {
  return (await call(path, { method: 'POST', body })).body.data
}

async function createRealm(cleanup: (handler: () => Promise<void>) => void): Promise<string> {
  const headers = {
    'authorization': `Bearer ${await accessToken()}`,
    'content-type': 'application/json',
  }
  const name = `site-${Date.now()}`
  const response = await fetch(providerAddress('/realms'), {
    method: 'POST',
    headers,
    body: JSON.stringify({ name }),
  })
  const { data } = (await response.json()) as { data: { id: string } }
  cleanup(async () => {
    const path = `/realms/${data.id}`
    const { status } = await fetch(providerAddress(path), { method: 'DELETE', headers })
    requireDeleted(path, { status, body: undefined })
  })
  return data.id
}
