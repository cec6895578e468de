import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { analysisClientSweep } from '#core/analyses/client_sweep'
import { identityProvider } from '#core/clients/identity_provider'
import { SecretReplacements, secretReplacementWorker } from '#core/clients/secret_replacements'
import { corePool } from '#core/database'
import { runDueTasks } from '#jobs/tasks/task_worker'
import { identityPool } from '#identity/embedded/database'
import { usePermissionPolicy } from '#tests/helpers/permissions/permission_policy'
import { EventSink, type RecordChange } from '#records/events'
import { at } from '#tests/helpers/application'
import { useEventSink, useSecuritySink } from '#tests/helpers/container'
import type { Attributes } from '#records/row'
import { clock } from '#kernel/clock'

import { call, person, Scene, set, type Answer, type Person } from './analysis_scene.js'

const SECRET = /^[0-9a-f]{64}$/

const clients = async () => (await identityProvider()).clients!

/** The worker that replaces secrets. */
async function replacing() {
  const tasks = await app.container.make(SecretReplacements)
  const records = { pool: corePool(), sink: await app.container.make(EventSink) }
  const provider = await identityProvider()
  return secretReplacementWorker({ tasks, provider, records, logger: { warn() {} } })
}

/** A token for the client of an analysis; undefined if it is denied. */
async function tokenFor({
  id,
  secret,
}: {
  id: string
  secret: string
}): Promise<string | undefined> {
  const response = await fetch(at('identity', '/token'), {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: id,
      client_secret: secret,
    }),
  })
  const { access_token: token } = (await response.json()) as { access_token?: string }
  return token
}

async function memberOf({ nodeId }: Attributes): Promise<string> {
  const { rows } = await corePool().query('select id from project_nodes where node_id = $1', [
    nodeId,
  ])
  return rows[0].id
}

test.group('Credentials of analyses', (group) => {
  let scene: Scene
  let analysis: Attributes

  const path = () => `/analyses/${analysis.id}/client/credentials`
  const read = (by: Person = scene.researcher()) => call(by, 'GET', path())
  const rotate = (body: object = {}, by: Person = scene.researcher()) =>
    call(by, 'POST', path(), body)

  group.each.setup(async () => {
    scene = await Scene.set()
    analysis = await scene.analysis()
  })

  test('credentials are those of its client, flat', async ({ assert }) => {
    const { status, body } = await read()
    assert.equal(status, 200)
    assert.sameMembers(Object.keys(body), ['id', 'name', 'displayName', 'secret'])
    assert.equal(body.id, analysis.clientId)
    assert.equal(body.name, analysis.id)
    assert.equal(body.displayName, analysis.id)
    assert.match(body.secret, SECRET)
  })

  test('credentials show the name of a client without display name, which the next sweep sets', async ({
    assert,
  }) => {
    const stored = async () => (await (await clients()).read(analysis.clientId as string))!
    await identityPool().query('update clients set display_name = null where id = $1', [
      analysis.clientId,
    ])
    assert.isNull((await stored()).displayName)
    assert.equal((await read()).body.displayName, analysis.id)
    assert.equal((await rotate()).body.displayName, analysis.id)
    const sweep = analysisClientSweep(await identityProvider(), { warn() {} })
    await sweep.run(new AbortController().signal)
    assert.equal((await stored()).displayName, analysis.id)
  })

  test('credentials get the secret that is sent, or a random one', async ({ assert }) => {
    const rotated = await rotate({ secret: 'a-secret-of-my-own' })
    assert.equal(rotated.status, 200)
    assert.equal(rotated.body.secret, 'a-secret-of-my-own')
    assert.equal((await read()).body.secret, 'a-secret-of-my-own')
    const random = await rotate()
    assert.match(random.body.secret, SECRET)
    assert.equal((await read()).body.secret, random.body.secret)
    const none = await rotate({ secret: null })
    assert.notEqual(none.body.secret, random.body.secret)
  })

  test('a key in the former spelling is dropped, and the secret is another one all the same', async ({
    assert,
  }) => {
    const before = (await read()).body
    const { status, body } = await rotate({ display_name: 'x', name: 'x' })
    assert.equal(status, 200)
    assert.notEqual(body.secret, before.secret)
    assert.equal(body.name, before.name)
    assert.equal(body.displayName, analysis.id)
  })

  test('credentials are for those who may change the analysis, and for nodes that agreed to run it', async ({
    assert,
  }) => {
    const undecided = await scene.assigned(analysis)
    const agreed = await scene.assigned(analysis, 'approved')
    const clientOf = ({ node }: Attributes) => scene.clientOf(node as Attributes)
    for (const [by, status] of [
      [scene.stranger(), 403],
      [scene.steward(), 403],
      [scene.researcher(['analysis_create']), 403],
      [person(scene.realms.project, { kind: 'client', permissions: [] }), 403],
      [clientOf(undecided), 403],
      [clientOf(agreed), 200],
      [scene.researcher(['analysis_update']), 200],
      [scene.admin(), 200],
    ] as const) {
      assert.equal((await read(by)).status, status)
      assert.equal((await rotate({}, by)).status, status)
    }
  })

  test('credentials are denied to a node that approved other content than the current one', async ({
    assert,
  }) => {
    const agreed = await scene.assigned(analysis, 'approved')
    const client = scene.clientOf(agreed.node as Attributes)
    assert.equal((await read(client)).status, 200)
    await scene.file(await scene.bucket(analysis), { path: 'slipped-in.py' })
    assert.equal((await read(client)).status, 403)
    assert.equal((await rotate({}, client)).status, 403)
  })

  for (const [how, lose] of [
    [
      'rejects the analysis',
      ({ id }) =>
        call(scene.steward(), 'POST', `/analysis-nodes/${id}`, { approvalStatus: 'rejected' }),
    ],
    [
      'takes its decision back',
      ({ id }) => call(scene.steward(), 'POST', `/analysis-nodes/${id}`, { approvalStatus: null }),
    ],
    ['is taken out', ({ id }) => call(scene.researcher(), 'DELETE', `/analysis-nodes/${id}`)],
    ['is removed', ({ nodeId }) => call(scene.steward(), 'DELETE', `/nodes/${nodeId}`)],
    [
      'rejects the project',
      async (part) =>
        call(scene.steward(), 'POST', `/project-nodes/${await memberOf(part)}`, {
          approvalStatus: 'rejected',
        }),
    ],
    [
      'leaves the project',
      async (part) => call(scene.researcher(), 'DELETE', `/project-nodes/${await memberOf(part)}`),
    ],
  ] as const satisfies readonly (readonly [string, (part: Attributes) => Promise<Answer>])[]) {
    test(`credentials are replaced, and tokens end, where a node that agreed ${how}`, async ({
      assert,
    }) => {
      const agreed = await scene.assigned(analysis, 'approved')
      const client = scene.clientOf(agreed.node as Attributes)
      const { body: known } = await read(client)
      const token = await tokenFor(known)
      const provider = await identityProvider()
      assert.isDefined(await provider.introspect(token!))
      assert.equal((await lose(agreed)).status, 202)
      await runDueTasks(await replacing())
      assert.notEqual((await read()).body.secret, known.secret)
      assert.isUndefined(await provider.introspect(token!))
      assert.isUndefined(await tokenFor(known))
      assert.equal((await read(client)).status, 403)
    })
  }

  test('credentials stay where a node decides that could not read them', async ({ assert }) => {
    const undecided = await scene.assigned(analysis)
    const { secret } = (await read()).body
    const part = `/analysis-nodes/${undecided.id}`
    assert.equal(
      (await call(scene.steward(), 'POST', part, { approvalStatus: 'rejected' })).status,
      202
    )
    await runDueTasks(await replacing())
    assert.equal((await read()).body.secret, secret)
  })

  test('the attributes of the analysis reach the policy of permissions', async ({
    assert,
    cleanup,
  }) => {
    cleanup(usePermissionPolicy((_actor, _permission, { id }) => id !== analysis.id))
    assert.equal((await read()).status, 403)
    assert.equal((await rotate()).status, 403)
  })

  test('callers without access to credentials do not learn whether a client exists', async ({
    assert,
  }) => {
    await set('analyses', analysis.id, { client_id: null })
    assert.equal((await read(scene.stranger())).status, 403)
    assert.equal((await read()).status, 400)
    assert.equal((await rotate()).status, 400)
  })

  test('C6: a client that the provider lost is not found', async ({ assert }) => {
    await (await clients()).remove(analysis.clientId as string)
    for (const { status, body } of [await read(), await rotate()]) {
      assert.equal(status, 404)
      assert.equal(body.code, 'entity_not_found')
    }
  })

  test('credentials of an analysis that is not there are not found', async ({ assert }) => {
    for (const id of [clock.uuid(), 'nothing']) {
      const answer = await call(scene.admin(), 'GET', `/analyses/${id}/client/credentials`)
      assert.equal(answer.status, 404)
    }
  })

  test('a caller who reads or changes them is remembered, the secret is not', async ({
    assert,
    cleanup,
  }) => {
    const events: unknown[] = []
    const changes: RecordChange[] = []
    cleanup(useSecuritySink({ record: async (event) => void events.push(event) }))
    cleanup(useEventSink({ record: async (_transaction, change) => void changes.push(change) }))
    const by = scene.researcher()
    const { body } = await rotate({}, by)
    assert.containsSubset(events, [
      { type: 'secretRead', subject: 'client', id: analysis.clientId },
    ])
    const change = changes.find(({ kind }) => kind === 'analysis')!
    assert.equal(change.origin.actor.id, by.actor.id)
    assert.isTrue(change.replacesSecrets)
    assert.notInclude(JSON.stringify([events, changes]), body.secret)
  })
})

test.group('Permissions of analyses', (group) => {
  let scene: Scene
  let analysis: Attributes

  const path = () => `/analyses/${analysis.id}/client/permissions`
  const list = (by: Person = scene.researcher()) => call(by, 'GET', path())
  const grant = (permissionId: string, by: Person = scene.researcher()) =>
    call(by, 'POST', path(), { permissionId })
  const revoke = (permissionId: string, by: Person = scene.researcher()) =>
    call(by, 'DELETE', `${path()}/${permissionId}`)

  group.each.setup(async () => {
    scene = await Scene.set()
    analysis = await scene.analysis()
  })

  test('permissions are granted by id or name, listed, and revoked by the id of the permission', async ({
    assert,
  }) => {
    assert.deepEqual((await list()).body, { data: [], meta: { total: 0 } })
    const permission = (await (await clients()).permission('analysis_self_storage_use'))!
    const granted = await grant('analysis_self_storage_use')
    assert.equal(granted.status, 201)
    const { data, meta, ...flat } = granted.body
    assert.deepEqual(data, flat)
    assert.deepEqual(meta, {})
    assert.containsSubset(flat, { clientId: analysis.clientId, permissionId: permission.id })
    assert.equal(flat.permission.name, 'analysis_self_storage_use')
    assert.equal((await grant(permission.id)).body.id, flat.id)
    assert.deepEqual((await list()).body, { data: [flat], meta: { total: 1 } })
    const revoked = await revoke(permission.id)
    assert.equal(revoked.status, 202)
    assert.deepEqual(revoked.body, { data: flat, meta: {} })
    assert.equal((await revoke(permission.id)).status, 404)
    assert.equal((await list()).body.meta.total, 0)
  })

  test('others than those of analyses are refused, and unknown ones not found', async ({
    assert,
  }) => {
    assert.equal((await grant('node_update')).status, 403)
    assert.equal((await grant('no_such_permission')).status, 404)
    assert.equal((await grant(clock.uuid())).status, 404)
    assert.equal((await revoke(clock.uuid())).status, 404)
  })

  test('permissions are changed by who may change the analysis, while it is not locked', async ({
    assert,
  }) => {
    const name = 'analysis_self_storage_use'
    for (const by of [
      scene.stranger(),
      scene.researcher([]),
      person(scene.realms.node, { kind: 'client', permissions: ['analysis_update'] }),
    ]) {
      assert.equal((await grant(name, by)).status, 403)
      assert.equal((await revoke(clock.uuid(), by)).status, 403)
    }
    assert.equal((await list(scene.researcher([]))).status, 403)
    assert.equal((await list(scene.stranger())).status, 403)
    await set('analyses', analysis.id, { configuration_locked: true })
    for (const { status, body } of [await grant(name), await revoke(clock.uuid())]) {
      assert.equal(status, 400)
      assert.equal(body.issues[0].code, 'configuration_locked')
    }
  })

  test('permissions of an analysis without a client are empty and cannot be granted', async ({
    assert,
  }) => {
    await set('analyses', analysis.id, { client_id: null })
    assert.deepEqual((await list()).body, { data: [], meta: { total: 0 } })
    assert.equal((await grant('analysis_self_storage_use')).status, 400)
    assert.equal((await revoke(clock.uuid())).status, 400)
  })

  test('permissions of an analysis that is not there are not found', async ({ assert }) => {
    const missing = `/analyses/${clock.uuid()}/client/permissions`
    assert.equal((await call(scene.admin(), 'GET', missing)).status, 404)
    const body = { permissionId: 'analysis_self_storage_use' }
    assert.equal((await call(scene.admin(), 'POST', missing, body)).status, 404)
    assert.equal((await call(scene.admin(), 'DELETE', `${missing}/x`)).status, 404)
  })

  test('a caller who changes them is remembered, once', async ({ assert, cleanup }) => {
    const changes: RecordChange[] = []
    cleanup(useEventSink({ record: async (_transaction, change) => void changes.push(change) }))
    const by = scene.researcher()
    const { body } = await grant('analysis_self_storage_use', by)
    assert.equal((await grant('analysis_self_storage_use', by)).body.id, body.id)
    await revoke(body.permissionId, by)
    const events = changes.filter(({ kind }) => kind === 'clientPermission')
    assert.isTrue(events.every(({ origin }) => origin.actor.id === by.actor.id))
    assert.deepEqual(
      events.map(({ kind, type, id, realmId }) => [kind, type, id, realmId]),
      ['created', 'deleted'].map((type) => [
        'clientPermission',
        type,
        body.id,
        scene.realms.project,
      ])
    )
  })
})
