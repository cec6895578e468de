import { test } from '@japa/runner'

import { registryProject } from '#core/registry_projects/registry_project'
import { clock } from '#kernel/clock'
import type { Attributes } from '#records/row'
import { seal } from '#records/sealing'
import type { SecurityEvent } from '#audit/security_event'
import { useSecuritySink } from '#tests/helpers/container'
import { sampleRecord } from '#tests/helpers/sample_records'
import { call, database, Scene, set } from './analysis_scene.js'

const SECRET = 'what-only-the-worker-reads'

test.group('The registry into which an analysis is built', (group) => {
  let scene: Scene
  let registry: Attributes
  let noted: SecurityEvent[]

  group.each.setup(async () => {
    noted = []
    const stop = useSecuritySink({ record: async (event) => void noted.push(event) })
    scene = await Scene.set()
    registry = await scene.registry()
    await set('registries', registry.id, { account_name: 'of-the-registry' })
    return async () => {
      stop()
      await database().query('delete from registries where id = $1', [registry.id])
    }
  })

  const readRegistry = (id: unknown, by = scene.admin()) =>
    call(by, 'GET', `/analyses/${id}/build-registry`)

  /** An analysis with a ready registry. */
  const built = async (): Promise<Attributes> => {
    const analysis = await scene.analysis()
    await set('analyses', analysis.id, { registry_id: registry.id })
    return analysis
  }

  const project = (type: string, registryId = registry.id) =>
    sampleRecord('core', registryProject, { registryId, type })
  const setUp = async (registryId = registry.id) => ({
    incoming: await project('incoming', registryId),
    master: await project('masterImages', registryId),
  })

  test('the registry is returned with the projects for builds and no others', async ({
    assert,
  }) => {
    const { incoming, master } = await setUp()
    await project('node')
    const { status, body } = await readRegistry((await built()).id)
    assert.equal(status, 200)
    assert.deepEqual(body.data.registry.projects, [
      { type: 'incoming', externalName: incoming.externalName },
      { type: 'masterImages', externalName: master.externalName },
    ])
    const { id, name, host } = registry
    assert.deepInclude(body.data.registry, { id, name, host, accountName: 'of-the-registry' })
  })

  test('the registry is returned with the account of the worker, if it has one', async ({
    assert,
  }) => {
    const { id } = await built()
    await setUp()
    await database().query(
      `insert into registry_workers (registry_id, account_id, account_name, account_secret)
       values ($1, '1', 'of-the-worker', $2)`,
      [registry.id, seal('registry worker account', SECRET)]
    )
    const { body } = await readRegistry(id)
    const account = { accountName: 'of-the-worker', accountSecret: SECRET }
    assert.deepInclude(body.data.registry, account)
    assert.containSubset(noted, [{ type: 'secretRead', subject: 'registry', id: registry.id }])
    assert.notInclude(JSON.stringify(noted), SECRET)
  })

  test('the registry is the oldest one if the analysis has none', async ({ assert }) => {
    await setUp()
    await set('registries', registry.id, { created_at: new Date(0) })
    const { body } = await readRegistry((await scene.analysis()).id)
    assert.equal(body.data.registry.id, registry.id)
  })

  test('the registry is never one that is not ready: {missing}')
    .with([
      { missing: 'no projects', prepare: async () => {} },
      { missing: 'no project for builds', prepare: () => project('masterImages') },
      { missing: 'no project for master images', prepare: () => project('incoming') },
      {
        missing: 'a project that was not made there yet',
        prepare: async () => {
          const { incoming } = await setUp()
          await set('registry_projects', incoming.id, { external_id: null })
        },
      },
    ])
    .run(async ({ assert }, { prepare }) => {
      const { id } = await built()
      await set('registries', registry.id, { created_at: new Date(0) })
      await prepare()
      assert.notEqual((await readRegistry(id)).body.data.registry?.id, registry.id)
      const next = await scene.registry()
      await set('registries', next.id, { created_at: new Date(1) })
      await setUp(next.id)
      assert.equal((await readRegistry(id)).body.data.registry.id, next.id)
      await database().query('delete from registries where id = $1', [next.id])
    })

  test('the registry needs no linked projects without an account of the platform', async ({
    assert,
  }) => {
    const { id } = await built()
    const { incoming, master } = await setUp()
    await set('registries', registry.id, { account_name: null })
    for (const made of [incoming, master]) {
      await set('registry_projects', made.id, { external_id: null })
    }
    assert.equal((await readRegistry(id)).body.data.registry.id, registry.id)
  })

  test('the registry requires registry_manage in the master realm', async ({ assert }) => {
    const { id } = await built()
    for (const by of [scene.researcher(), scene.stranger(), scene.steward()]) {
      assert.equal((await readRegistry(id, by)).status, 403)
    }
    assert.isEmpty(noted)
  })

  test('the registry is not found without the analysis', async ({ assert }) => {
    assert.equal((await readRegistry(clock.uuid())).status, 404)
  })
})
