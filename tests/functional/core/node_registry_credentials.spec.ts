import { test } from '@japa/runner'

import { node } from '#core/nodes/node'
import { registryProject } from '#core/registry_projects/registry_project'
import { registry } from '#core/registries/registry'
import { databaseUrl } from '#database/addresses'
import { pools } from '#database/pools'
import type { SecurityEvent } from '#audit/security_event'
import { useSecuritySink } from '#tests/helpers/container'
import { clock } from '#kernel/clock'
import { sampleRecord } from '#tests/helpers/sample_records'

import { call, member } from './node_scene.js'

const SECRET = 'registry-secret-1'

test.group('Credentials of nodes in registries', (group) => {
  const realmId = clock.uuid()
  const manager = member(clock.uuid(), ['registry_manage'], { realmName: 'master' })
  let ids: { node: string; client: string; project: string }
  let host: string
  let path: string

  group.each.setup(async () => {
    const own = await sampleRecord('core', registry)
    const project = await sampleRecord('core', registryProject, {
      registryId: own.id,
      externalName: `node-${clock.uuid().slice(0, 8)}`,
      accountName: 'robot$node',
      accountSecret: SECRET,
      realmId,
    })
    const { id, clientId } = await sampleRecord('core', node, {
      realmId,
      registryProjectId: project.id,
    })
    ids = { node: id as string, client: clientId as string, project: project.id as string }
    host = own.host as string
    path = `/nodes/${id}/registry/credentials`
  })

  test('the credentials are those of its project, with the host of the registry the project is in', async ({
    assert,
  }) => {
    const { status, body, headers } = await call('GET', path, manager)
    assert.equal(status, 200)
    assert.deepEqual(Object.keys(body).toSorted(), [
      'accountName',
      'accountSecret',
      'externalName',
      'host',
    ])
    assert.containsSubset(body, { host, accountName: 'robot$node', accountSecret: SECRET })
    assert.equal(headers.get('cache-control'), 'private, no-store')
  })

  test('the credentials are accessible to the node itself without permissions', async ({
    assert,
  }) => {
    const self = member(realmId, [], { kind: 'client', id: ids.client })
    assert.equal((await call('GET', path, self)).body.accountSecret, SECRET)
  })

  test('the credentials are accessible to managers of the nodes of its realm', async ({
    assert,
  }) => {
    const steward = member(realmId, ['node_update'])
    assert.equal((await call('GET', path, steward)).body.accountSecret, SECRET)
  })

  test('the credentials are not accessible to others', async ({ assert }) => {
    for (const somebody of [
      member(realmId, ['node_create', 'registry_project_manage']),
      member(clock.uuid(), ['node_update', 'registry_project_manage']),
      member(realmId, ['analysis_update'], { kind: 'client' }),
      member(realmId, [], { kind: 'user', id: ids.client }),
    ]) {
      const { status, body } = await call('GET', path, somebody)
      assert.equal(status, 403)
      assert.deepEqual(body.issues[0].path, ['registry_manage'])
    }
    const elsewhere = member(clock.uuid(), ['registry_manage'])
    assert.equal((await call('GET', path, elsewhere)).status, 403)
    assert.equal((await call('GET', path)).status, 401)
  })

  test('the credentials of a missing node are not found, before any other check', async ({
    assert,
  }) => {
    for (const id of [clock.uuid(), 'abc']) {
      const { status } = await call('GET', `/nodes/${id}/registry/credentials`, member(realmId, []))
      assert.equal(status, 404)
    }
  })

  test('the credentials of a node without a project are missing, which only permitted callers learn', async ({
    assert,
  }) => {
    const pool = pools.for(databaseUrl('core'))
    await pool.query('delete from registry_projects where id = $1', [ids.project])
    const { status, body } = await call('GET', path, manager)
    assert.equal(status, 400)
    assert.equal(body.code, 'bad_request')
    assert.equal((await call('GET', path, member(realmId, []))).status, 403)
  })

  test('the credentials are audited when they are read', async ({ assert, cleanup }) => {
    const noted: SecurityEvent[] = []
    cleanup(useSecuritySink({ record: async (event) => void noted.push(event) }))
    await call('GET', path, manager)
    assert.deepEqual(
      noted.map(({ type, subject, id, realmId: realm }) => [type, subject, id, realm]),
      [['secretRead', 'registryProject', ids.project, realmId]]
    )
  })
})
