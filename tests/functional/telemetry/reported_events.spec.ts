import { test } from '@japa/runner'

import { COLLECTIONS, fetchRecordRealms } from '#telemetry/events/fetch_record_realms'
import { findRealms } from '#records/record_realms'
import { declaredKinds } from '#records/kind'
import { clock } from '#kernel/clock'
import { telemetryPool } from '#telemetry/database'
import { NodeFactory } from '#factories/node_factory'
import { AnalysisFactory } from '#factories/analysis_factory'
import { AnalysisNodeFactory } from '#factories/analysis_node_factory'
import { at, boot } from '#tests/helpers/application'
import { identity, REALMS } from '#tests/helpers/identities'

const ALL = ['event_create', 'event_read', 'event_delete']
const OWN = clock.uuid()

const master = identity({ permissions: ALL })
const local = identity({ permissions: ALL, realmId: OWN, realmName: 'own', name: 'Ada' })

async function request(method: string, path: string, body?: object, { headers } = local) {
  const response = await fetch(at('telemetry', path), {
    method,
    headers: { ...headers, 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  })
  return { status: response.status, body: (await response.json()) as any }
}

const report = (more: object = {}, by = local) => {
  const event = { scope: 'entity', name: 'updated', refType: 'analysis', refId: clock.uuid() }
  return request('POST', '/events', { ...event, ...more }, by)
}

test.group('Who reports an event', (group) => {
  group.setup(async () => void (await boot()))

  test('the reporter is recorded by the platform, not by the sender', async ({ assert }) => {
    const client = identity({
      permissions: ALL,
      kind: 'client',
      name: null,
      realmId: OWN,
      realmName: 'own',
    })
    for (const { actor, ...by } of [local, master, client]) {
      const reportedBy = { id: clock.uuid(), realmId: null, type: 'bus' }
      const { body } = await report({ reportedBy }, { actor, ...by })
      assert.deepEqual(body.data.reportedBy, {
        id: actor.id,
        realmId: actor.realmId,
        type: actor.kind,
      })
    }
  })

  test('the reporter is the actor, outside of the master realm', async ({ assert }) => {
    const { actor } = local
    const own = { actorType: 'user', actorId: actor.id, actorName: 'Ada' }
    assert.containSubset((await report()).body.data, own)
    assert.containSubset((await report(own)).body.data, own)
    for (const foreign of [
      { actorId: clock.uuid() },
      { actorType: 'client' },
      { actorName: 'the data protection officer' },
    ]) {
      const { status, body } = await report({ ...own, ...foreign })
      assert.equal(status, 403)
      assert.deepEqual(body.issues[0].path, Object.keys(foreign))
      assert.equal((await report({ ...own, ...foreign }, master)).status, 201)
    }
  })

  test('reveals nothing about records of another realm, however their kind is spelled', async ({
    assert,
  }) => {
    const foreign = await AnalysisFactory.merge({ realmId: REALMS.other }).with('project').create()
    const own = await AnalysisFactory.merge({ realmId: OWN }).with('project').create()
    for (const refType of ['analysis', 'ANALYSIS', 'analysİs', 'ａnalysis']) {
      const { status, body } = await report({ refType, refId: foreign.id.toUpperCase() })
      assert.equal(status, 403, refType)
      assert.equal(body.code, 'permission_denied')
    }
    assert.equal((await report({ refId: foreign.id }, master)).status, 201)
    assert.equal((await report({ refId: own.id })).status, 201)
    assert.equal((await report({ refType: 'something else' })).status, 201)
  })

  test('the reporter may be of either realm that a record between two belongs to', async ({
    assert,
  }) => {
    const node = await NodeFactory.merge({ realmId: OWN }).create()
    const analysis = await AnalysisFactory.merge({ realmId: REALMS.other }).with('project').create()
    const part = await AnalysisNodeFactory.merge({
      analysisId: analysis.id,
      analysisRealmId: REALMS.other,
      nodeId: node.id,
      nodeRealmId: OWN,
    }).create()
    const about = { refType: 'analysisNode', refId: part.id }
    const third = identity({ permissions: ALL, realmId: clock.uuid(), realmName: 'third' })
    assert.equal((await report(about)).status, 201)
    assert.equal((await report(about, third)).status, 403)
  })

  test('the reporter is fetched over HTTP for records of another process', async ({ assert }) => {
    const node = await NodeFactory.merge({ realmId: OWN }).create()
    const provider = {
      ownToken: async () => master.token,
      introspect: async () => undefined as any,
    }
    const elsewhere = fetchRecordRealms('core', { url: at('core', ''), provider })
    assert.deepEqual(await elsewhere('node', node.id), [OWN])
    assert.deepEqual(await findRealms('node', node.id), [OWN])
    assert.isUndefined(await elsewhere('node', clock.uuid()))
    assert.isUndefined(await elsewhere('nothing', node.id))
    const away = fetchRecordRealms('core', { url: 'http://127.0.0.1:9', provider })
    await assert.rejects(() => away('node', node.id), /cannot be determined now; try again/)
  })

  test('records of every kind can be fetched', async ({ assert }) => {
    for (const surface of ['core', 'storage'] as const) {
      const kinds = declaredKinds().filter(({ model }) => model.connection === surface)
      const collections = kinds.map(({ name, collection }) => [name.toLowerCase(), collection])
      assert.containSubset(COLLECTIONS[surface], Object.fromEntries(collections))
    }
  })
})

test.group('The removal of an event', (group) => {
  group.setup(async () => void (await boot()))

  const removalOf = async (id: string, by = local) => {
    const { body } = await request(
      'GET',
      `/events?filter=and(eq(refType,'event'),eq(refId,'${id}'))`,
      undefined,
      by
    )
    return body.data
  }

  test('the removal is an event that stays, and names who removed what', async ({ assert }) => {
    const { body } = await report()
    const { id, refId } = body.data
    assert.equal((await request('DELETE', `/events/${id}`)).status, 202)
    const [removal, ...others] = await removalOf(id)
    assert.isEmpty(others)
    assert.containSubset(removal, {
      name: 'deleted',
      realmId: OWN,
      actorId: local.actor.id,
      actorName: 'Ada',
      requestMethod: 'DELETE',
      expiring: false,
      reportedBy: { id: null, realmId: null, type: 'platform' },
      data: { diff: { refId: { next: null, previous: refId }, actorName: { previous: 'Ada' } } },
    })
    for (const by of [local, master]) {
      assert.equal((await request('DELETE', `/events/${removal.id}`, undefined, by)).status, 403)
    }
    assert.lengthOf(await removalOf(id), 1)
  })

  test('a removal without a realm needs the master realm', async ({ assert }) => {
    const { body } = await report({}, master)
    const { id } = body.data
    await telemetryPool().query('update events set realm_id = null where id = $1', [id])
    assert.equal((await request('DELETE', `/events/${id}`)).status, 403)
    assert.isEmpty(await removalOf(id, master))
    assert.equal((await request('DELETE', `/events/${id}`, undefined, master)).status, 202)
    const [removal] = await removalOf(id)
    assert.containSubset(removal, { realmId: null, actorId: master.actor.id })
  })
})
