import { test } from '@japa/runner'

import { analysisClientSweep } from '#core/analyses/client_sweep'
import { coreSettings } from '#core/core_settings'
import { coreReactions } from '#core/removals'
import { identityProvider } from '#core/clients/identity_provider'
import { registry } from '#core/registries/registry'
import { usePermissionPolicy } from '#tests/helpers/permissions/permission_policy'
import { useEventSink } from '#tests/helpers/container'
import type { RecordChange } from '#records/events'
import { clock } from '#kernel/clock'
import { sampleRecord } from '#tests/helpers/sample_records'

import { call, database, person, Scene, set } from './analysis_scene.js'
import { useSettings } from '#tests/helpers/settings'

const rowOf = async (table: string, id: unknown) =>
  (await database().query(`select * from ${table} where id = $1`, [id])).rows[0]

test.group('Creating analyses', (group) => {
  let scene: Scene

  group.each.setup(async () => {
    scene = await Scene.set()
  })

  test('a new analysis takes realm and image of the project, and the creator', async ({
    assert,
  }) => {
    const by = scene.researcher()
    const created = await scene.analysis({}, by)
    assert.equal(created.realmId, scene.realms.project)
    assert.equal(created.masterImageId, scene.project.masterImageId)
    assert.equal(created.userId, by.actor.id)
    assert.match(created.name as string, /^[a-z]+-[a-z]+-[0-9a-f]{6}$/)
    assert.isTrue(created.configurationImageValid)
    assert.isFalse(created.configurationLocked)
    assert.deepEqual(
      [created.nodes, created.executionStatus, created.executionProgress],
      [0, null, null]
    )
  })

  test('an image that is sent is used instead of that of the project', async ({ assert }) => {
    const { id } = await scene.image()
    const created = await scene.analysis({ masterImageId: id })
    assert.equal(created.masterImageId, id)
  })

  test('a new analysis keeps the arguments of the image as they were sent', async ({ assert }) => {
    const imageCommandArguments = [{ value: '--fast' }, { value: 'x"\\', position: 'after' }]
    const sent = [{ ...imageCommandArguments[0], more: 1 }, imageCommandArguments[1]]
    const created = await scene.analysis({ imageCommandArguments: sent })
    assert.deepEqual(created.imageCommandArguments, imageCommandArguments)
    assert.deepEqual((await scene.read(created)).imageCommandArguments, imageCommandArguments)
  })

  test('a new analysis creates a client for the analysis and returns its id', async ({
    assert,
  }) => {
    const created = await scene.analysis()
    const client = await rowOf('clients', created.clientId)
    assert.equal(client.name, created.id)
    assert.equal(client.realm_id, scene.realms.project)
    const { rows } = await database().query('select data from tasks where key = $1', [
      created.clientId,
    ])
    assert.deepEqual(rows[0].data.permissions, [
      'analysis_self_storage_use',
      'analysis_self_message_broker_use',
    ])
  })

  test('L18: a failed creation leaves neither client nor count; a successful one publishes one event', async ({
    assert,
    cleanup,
  }) => {
    const clientsOf = async () => {
      const text = 'select count(*)::int as n from clients where realm_id = $1'
      return (await database().query(text, [scene.realms.project])).rows[0].n
    }
    const before = await clientsOf()
    const stop = useEventSink({
      record: async () => {
        throw new Error('full')
      },
    })
    const failed = await call(scene.researcher(), 'POST', '/analyses', {
      projectId: scene.project.id,
    })
    stop()
    assert.equal(failed.status, 500)
    assert.equal(await clientsOf(), before)
    assert.equal((await rowOf('projects', scene.project.id)).analyses, 0)

    const changes: RecordChange[] = []
    cleanup(useEventSink({ record: async (_transaction, created) => void changes.push(created) }))
    await scene.member()
    const { id, clientId } = await scene.analysis()
    const own = changes.filter((change) => change.id === id)
    assert.deepEqual(
      own.map(({ type, next }) => [type, next!.clientId, next!.nodes]),
      [['created', clientId, 1]]
    )
  })

  test('S3: is for the realm of the project, and for those of its approved nodes', async ({
    assert,
  }) => {
    const body = { projectId: scene.project.id }
    const create = async (by = scene.stranger()) =>
      (await call(by, 'POST', '/analyses', body)).status
    assert.equal(await create(), 403)
    assert.equal(await create(scene.steward()), 403)
    await scene.member(null)
    await scene.member('rejected')
    assert.equal(await create(scene.steward()), 403)
    await scene.member('approved')
    assert.equal(await create(scene.steward()), 201)
    assert.equal(await create(scene.admin()), 201)
    assert.equal(await create(), 403)
  })

  test('a new analysis is for users only', async ({ assert }) => {
    for (const kind of ['client', 'robot'] as const) {
      const by = person(scene.realms.project, { kind })
      const { status, body } = await call(by, 'POST', '/analyses', { projectId: scene.project.id })
      assert.equal(status, 403)
      assert.equal(body.code, 'permission_denied')
    }
  })

  test('the attributes of the new analysis reach the policy of permissions', async ({
    assert,
    cleanup,
  }) => {
    const conditions: unknown[] = []
    cleanup(
      usePermissionPolicy((_actor, permission, attributes) => {
        conditions.push([permission, attributes.projectId, attributes.realmId])
        return false
      })
    )
    const { status, body } = await call(scene.researcher(), 'POST', '/analyses', {
      projectId: scene.project.id,
    })
    assert.equal(status, 403)
    assert.equal(body.issues[0].code, 'permission_not_found')
    assert.deepEqual(conditions, [['analysis_create', scene.project.id, scene.realms.project]])
  })

  test('L22: assigns the nodes that approved the project and includes them in the response', async ({
    assert,
  }) => {
    const agreed = await scene.member('approved')
    const aggregator = await scene.member('approved', 'aggregator')
    await scene.member(null)
    await scene.member('rejected')
    const created = await scene.analysis()
    assert.containsSubset(created, {
      nodes: 2,
      nodesApproved: 1,
      configurationNodeAggregatorValid: true,
      configurationNodeDefaultValid: true,
      configurationNodesValid: true,
      buildNodesValid: false,
      executionStatus: null,
      executionProgress: 0,
    })
    const { body } = await call(
      scene.researcher(),
      'GET',
      `/analysis-nodes?filter[analysisId]=${created.id}`
    )
    const assigned = body.data.map((row: any) => [row.nodeId, row.approvalStatus, row.nodeRealmId])
    assert.sameDeepMembers(assigned, [
      [agreed.id, null, scene.realms.node],
      [aggregator.id, 'approved', scene.realms.node],
    ])
  })

  test('where approvals are skipped, all of its nodes take part at once', async ({
    assert,
    cleanup,
  }) => {
    cleanup(useSettings(coreSettings, { skipsAnalysisApproval: true }))
    await scene.member()
    const created = await scene.analysis()
    assert.containsSubset(created, { nodes: 1, nodesApproved: 1, buildNodesValid: true })
  })
})

test.group('Changing analyses', (group) => {
  let scene: Scene
  let id: string

  const change = (body: object, by = scene.researcher()) =>
    call(by, 'POST', `/analyses/${id}`, body)

  group.each.setup(async () => {
    scene = await Scene.set()
    const argument = [{ value: '--fast' }]
    id = (await scene.analysis({ imageCommandArguments: argument })).id as string
  })

  test('another image, or none, is started without the arguments of the former', async ({
    assert,
  }) => {
    const { id: other } = await scene.image()
    const args = [{ value: '--slow' }]
    const changed = await change({ masterImageId: other, imageCommandArguments: args })
    assert.equal(changed.status, 202)
    assert.isNull(changed.body.data.imageCommandArguments)
    await change({ imageCommandArguments: args })
    const same = await change({ masterImageId: String(other).toUpperCase() })
    assert.deepEqual(same.body.data.imageCommandArguments, args)
    const none = await change({ masterImageId: null })
    assert.containsSubset(none.body.data, {
      masterImageId: null,
      imageCommandArguments: null,
      configurationImageValid: false,
    })
  })

  test('a registry is chosen once', async ({ assert }) => {
    const [first, second] = [
      await sampleRecord('core', registry),
      await sampleRecord('core', registry),
    ]
    assert.equal((await change({ registryId: first.id })).status, 202)
    assert.equal((await change({ registryId: first.id })).status, 202)
    const refused = await change({ registryId: second.id })
    assert.equal(refused.status, 400)
    assert.deepEqual(refused.body.issues[0].path, ['registryId'])
    assert.equal((await change({ registryId: null })).status, 202)
    assert.equal((await change({ registryId: second.id })).status, 202)
  })

  test('L9: approved content cannot change while the configuration is locked', async ({
    assert,
  }) => {
    const before = await scene.read({ id })
    const reference = await sampleRecord('core', registry)
    const image = await scene.image()
    await set('analyses', id, { configuration_locked: true })
    for (const body of [
      { masterImageId: image.id },
      { masterImageId: null },
      { imageCommandArguments: [{ value: '--other' }] },
      { imageCommandArguments: null },
      { registryId: reference.id },
    ]) {
      const { status, body: answer } = await change(body)
      assert.equal(status, 400, JSON.stringify(body))
      assert.equal(answer.code, 'bad_request')
      assert.equal(answer.issues[0].code, 'configuration_locked')
    }
    const { imageCommandArguments, masterImageId, registryId } = before
    const allowed = await change({
      name: 'another-name',
      displayName: 'Another name',
      description: 'Another description',
      imageCommandArguments,
      masterImageId,
      registryId,
    })
    assert.equal(allowed.status, 202)
    assert.equal(allowed.body.data.name, 'another-name')
  })

  test('the attributes of the analysis reach the policy of permissions', async ({
    assert,
    cleanup,
  }) => {
    cleanup(
      usePermissionPolicy((_actor, permission, { configurationLocked }) => {
        return permission !== 'analysis_update' || configurationLocked === false
      })
    )
    assert.equal((await change({ name: 'a-name' })).status, 202)
    await set('analyses', id, { configuration_locked: true })
    assert.equal((await change({ name: 'a-name' })).status, 403)
  })
})

test.group('Deleting analyses', (group) => {
  let scene: Scene

  group.each.setup(async () => {
    scene = await Scene.set()
  })

  test('the deletion takes what belongs to them, and leaves what does not', async ({ assert }) => {
    const member = await scene.member()
    const created = await scene.analysis()
    const bucket = await scene.bucket(created)
    const file = await scene.file(bucket)
    const image = created.masterImageId
    const { status, body } = await call(scene.researcher(), 'DELETE', `/analyses/${created.id}`)
    assert.equal(status, 202)
    assert.equal(body.data.id, created.id)
    assert.isUndefined(await rowOf('analysis_buckets', bucket.id))
    assert.isUndefined(await rowOf('analysis_bucket_files', file.id))
    const { rows } = await database().query('select 1 from analysis_nodes where analysis_id = $1', [
      created.id,
    ])
    assert.isEmpty(rows)
    assert.isDefined(await rowOf('nodes', member.id))
    assert.isDefined(await rowOf('master_images', image))
    assert.equal((await rowOf('projects', scene.project.id)).analyses, 0)
  })

  test('the deletion has their clients removed', async ({ assert }) => {
    const created = await scene.analysis()
    await call(scene.researcher(), 'DELETE', `/analyses/${created.id}`)
    const { rows } = await database().query(
      `select data->>'task' as task from tasks where key = $1`,
      [created.clientId]
    )
    assert.deepEqual(rows, [{ task: 'remove' }])
  })

  test('removing a registry leaves the analyses that use it', async ({ assert }) => {
    const { id } = await sampleRecord('core', registry)
    const created = await scene.analysis({ registryId: id })
    await call(scene.admin(), 'DELETE', `/registries/${id}`)
    assert.isNull((await scene.read(created)).registryId)
  })

  test('L15: a realm takes its analyses along, with their clients; others stay', async ({
    assert,
  }) => {
    const created = await scene.analysis()
    const elsewhere = await Scene.set()
    const other = await elsewhere.analysis()
    await coreReactions.realmDeleted(scene.realms.project)
    assert.isUndefined(await rowOf('analyses', created.id))
    assert.isDefined(await rowOf('analyses', other.id))
    const { rows } = await database().query(
      `select data->>'task' as task from tasks where key = $1`,
      [created.clientId]
    )
    assert.deepEqual(rows, [{ task: 'remove' }])
  })

  test('L15: analyses and files of a deleted user stay', async ({ assert }) => {
    const by = scene.researcher()
    const created = await scene.analysis({}, by)
    const file = await scene.file(await scene.bucket(created), { userId: by.actor.id })
    await coreReactions.userDeleted(by.actor.id)
    assert.isNull((await rowOf('analyses', created.id)).user_id)
    assert.isNull((await rowOf('analysis_bucket_files', file.id)).user_id)
  })

  test('an analysis with a missing client gets a new one', async ({ assert }) => {
    const created = await scene.analysis()
    // Other tests insert analyses directly, some into unknown realms.
    await database().query('delete from analyses where id <> $1', [created.id])
    const provider = await identityProvider()
    await provider.clients!.remove(created.clientId as string)
    await analysisClientSweep(provider, { warn() {} }).run(AbortSignal.timeout(20_000))
    const { clientId } = await scene.read(created)
    assert.notEqual(clientId, created.clientId)
    assert.equal((await rowOf('clients', clientId)).name, created.id)
  }).timeout(30_000)

  test('a missing analysis is not found, whatever the form of its id', async ({ assert }) => {
    for (const id of [clock.uuid(), 'nothing', '0']) {
      const { status } = await call(scene.researcher(), 'DELETE', `/analyses/${id}`)
      assert.equal(status, 404)
    }
  })
})
