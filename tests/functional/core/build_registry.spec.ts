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
    const stop = useSecuritySink({ note: async (event) => void noted.push(event) })
    scene = await Scene.set()
    registry = await scene.registry()
    await set('registries', registry.id, { account_name: 'of-the-registry' })
    return async () => {
      stop()
      await database().query('delete from registries where id = $1', [registry.id])
    }
  })

  const told = (id: unknown, by = scene.admin()) =>
    call(by, 'GET', `/analyses/${id}/build-registry`)

  const built = async (): Promise<Attributes> => {
    const analysis = await scene.analysis()
    await set('analyses', analysis.id, { registry_id: registry.id })
    return analysis
  }

  const project = (type: string) =>
    sampleRecord('core', registryProject, { registryId: registry.id, type })

  test('is told with its projects for that, and no other', async ({ assert }) => {
    const [incoming, master] = [await project('incoming'), await project('masterImages')]
    await project('node')
    const { status, body } = await told((await built()).id)
    assert.equal(status, 200)
    assert.deepEqual(body.data.registry.projects, [
      { type: 'incoming', externalName: incoming.externalName },
      { type: 'masterImages', externalName: master.externalName },
    ])
    const { id, name, host } = registry
    assert.deepInclude(body.data.registry, { id, name, host, accountName: 'of-the-registry' })
  })

  test('is entered as the worker, where it has an account there', async ({ assert }) => {
    const { id } = await built()
    await database().query(
      `insert into registry_workers (registry_id, account_id, account_name, account_secret)
       values ($1, '1', 'of-the-worker', $2)`,
      [registry.id, seal('registry worker account', SECRET)]
    )
    const { body } = await told(id)
    const account = { accountName: 'of-the-worker', accountSecret: SECRET }
    assert.deepInclude(body.data.registry, account)
    assert.containSubset(noted, [{ type: 'secretRead', subject: 'registry', id: registry.id }])
    assert.notInclude(JSON.stringify(noted), SECRET)
  })

  test('is the oldest one where the analysis names none', async ({ assert }) => {
    await set('registries', registry.id, { created_at: new Date(0) })
    const { body } = await told((await scene.analysis()).id)
    assert.equal(body.data.registry.id, registry.id)
  })

  test('is for whoever manages registries centrally', async ({ assert }) => {
    const { id } = await built()
    for (const by of [scene.researcher(), scene.stranger(), scene.steward()]) {
      assert.equal((await told(id, by)).status, 403)
    }
    assert.isEmpty(noted)
  })

  test('is not there without the analysis', async ({ assert }) => {
    assert.equal((await told(clock.uuid())).status, 404)
  })
})
