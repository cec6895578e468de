import { test } from '@japa/runner'

import { analysisNodeEvent } from '#core/analysis_node_events/analysis_node_event'
import { databaseUrl } from '#database/addresses'
import { pools } from '#database/pools'
import { realm } from '#identity/realms/realm'
import { role } from '#identity/roles/role'
import { userRole } from '#identity/user_roles/user_role'
import { user } from '#identity/users/user'
import { columnOf } from '#query/sql/identifiers'
import { useEventSink } from '#tests/helpers/container'
import type { RecordChange } from '#records/events'
import { PLATFORM_PERMISSIONS } from '#auth/permission_names'
import type { Attributes } from '#records/row'
import { allKinds } from '#tests/helpers/records/all_kinds'
import { at } from '#tests/helpers/application'
import { identity } from '#tests/helpers/identities'
import { sampleRecord } from '#tests/helpers/sample_records'
import { listenToStatements } from '#tests/helpers/database/statements'

import { call, database, Scene } from '#tests/functional/core/analysis_scene'
import { call as ask, member, newRealm, uniqueName } from '#tests/functional/core/node_scene'
import { send } from '#tests/functional/core/registry_scene'
import {
  aBucket,
  aFile,
  callStorage as askStorage,
  person,
  eventsAbout,
} from '#tests/functional/storage/storage_scene'

/** Dependents in other surfaces; projects with analyses cannot be deleted at all. */
const REFUSED_INSTEAD = ['analyses.project_id']

const CASCADES = `select c.conrelid::regclass::text as part, a.attname as "by", c.confrelid::regclass::text as whole
  from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
  where c.contype = 'f' and c.confdeltype = 'c'`

/** The published changes of one type, in order. */
function listen(type: RecordChange['type']) {
  const changes: RecordChange[] = []
  const stop = useEventSink({
    record: async (_, change) => void (change.type === type && changes.push(change)),
  })
  return { changes, stop, kinds: () => changes.map(({ kind }) => kind) }
}

test.group('Dependent records', () => {
  test('dependents are declared wherever the database removes them', async ({ assert }) => {
    const { rows } = await pools.for(databaseUrl('core')).query(CASCADES)
    const kindIn = (table: string) => allKinds.find(({ kind }) => kind.table === table)?.kind
    const undeclared = rows.filter(({ part, by, whole }) => {
      const [inner, outer] = [kindIn(part), kindIn(whole)]
      const relation =
        inner &&
        Object.values(inner.relations).find(
          (each) => each.to() === outer && columnOf(each.by, inner.columns[each.by]!) === by
        )
      return inner && outer && relation?.onDelete !== 'cascade'
    })
    assert.deepEqual(
      undeclared.map(({ part, by }) => `${part}.${by}`),
      REFUSED_INSTEAD
    )
  })

  test('dependents are published before their analysis, each with its last version', async ({
    assert,
    cleanup,
  }) => {
    const scene = await Scene.set()
    const analysis = await scene.analysis()
    const { nodeId } = await scene.assigned(analysis)
    const buckets = [await scene.bucket(analysis, 'CODE'), await scene.bucket(analysis, 'RESULT')]
    const files = [await scene.file(buckets[0]!), await scene.file(buckets[1]!)]
    const event = await sampleRecord('core', analysisNodeEvent, { analysisId: analysis.id, nodeId })
    const received = listen('deleted')
    cleanup(received.stop)
    const by = scene.researcher()
    assert.equal((await call(by, 'DELETE', `/analyses/${analysis.id}`)).status, 202)
    assert.equal(received.kinds().at(-1), 'analysis')
    assert.sameMembers(received.kinds().slice(0, -1), [
      'analysisNode',
      'analysisNodeEvent',
      'analysisBucket',
      'analysisBucket',
      'analysisBucketFile',
      'analysisBucketFile',
    ])
    assert.isBelow(
      received.kinds().lastIndexOf('analysisBucketFile'),
      received.kinds().indexOf('analysisBucket')
    )
    const published = new Map(received.changes.map((change) => [change.id, change]))
    for (const { id } of [...buckets, ...files, event]) {
      assert.equal(published.get(id as string)?.previous?.id, id)
    }
    assert.isTrue(received.changes.every(({ origin }) => origin.actor.id === by.actor.id))
    assert.equal(published.get(files[0]!.id as string)!.realmId, files[0]!.realmId)
  })

  test('dependents are published before a bucket of an analysis, and before a node', async ({
    assert,
    cleanup,
  }) => {
    const scene = await Scene.set()
    const analysis = await scene.analysis()
    const bucket = await scene.bucket(analysis, 'RESULT')
    await scene.file(bucket)
    const { node } = (await scene.assigned(analysis)) as { node: Attributes }
    await sampleRecord('core', analysisNodeEvent, { analysisId: analysis.id, nodeId: node.id })
    await database().query('update projects set nodes = 1 where id = $1', [scene.project.id])
    const received = listen('deleted')
    cleanup(received.stop)
    await call(scene.researcher(), 'DELETE', `/analysis-buckets/${bucket.id}`)
    assert.deepEqual(received.kinds().splice(0), ['analysisBucketFile', 'analysisBucket'])
    received.changes.splice(0)
    assert.equal((await call(scene.steward(), 'DELETE', `/nodes/${node.id}`)).status, 202)
    assert.equal(received.kinds().at(-1), 'node')
    assert.includeMembers(received.kinds(), ['analysisNode', 'analysisNodeEvent', 'projectNode'])
    const path = `/projects/${scene.project.id}`
    assert.equal((await call(scene.researcher(), 'GET', path)).body.data.nodes, 0)
  })

  test('dependents are published before a realm of the embedded provider', async ({
    assert,
    cleanup,
  }) => {
    const { id: realmId } = await sampleRecord('identity', realm)
    const { id: userId } = await sampleRecord('identity', user, { realmId })
    const { id: roleId } = await sampleRecord('identity', role, { realmId })
    const both = { userId, roleId, userRealmId: realmId, roleRealmId: realmId }
    await sampleRecord('identity', userRole.kind, both)
    const received = listen('deleted')
    cleanup(received.stop)
    const { headers } = identity({ permissions: ['realm_delete'] })
    const path = at('identity', `/realms/${realmId}`)
    assert.equal((await fetch(path, { method: 'DELETE', headers })).status, 202)
    assert.equal(received.kinds().at(-1), 'realm')
    assert.includeMembers(received.kinds(), ['user', 'role', 'userRole'])
    assert.lengthOf(
      received.kinds().filter((kind) => kind === 'userRole'),
      1
    )
    assert.isBelow(received.kinds().indexOf('userRole'), received.kinds().indexOf('user'))
  })

  test('dependents are published on the bus as well, file by file, before their bucket', async ({
    assert,
  }) => {
    const bucket = await aBucket()
    const file = await aFile(bucket.id)
    const by = person(null!, ['bucket_delete'], { realmName: 'master' })
    assert.equal((await askStorage(by, 'DELETE', `/buckets/${bucket.id}`)).status, 202)
    const [published] = await eventsAbout(file.id)
    assert.equal(published.type, 'deletionFinished')
    assert.equal(published.data.bucketId, bucket.id)
    assert.notProperty(published.data, 'layout')
    assert.notProperty(published.data, 'sha256')
    const { rows } = await pools.for(databaseUrl('storage')).query(
      `select content->'change'->>'kind' as kind, pending from outbox
       where content->'change'->>'change' = 'deleted'
         and content->'change'->>'id' = any($1) order by position`,
      [[bucket.id, file.id]]
    )
    assert.deepEqual(rows, [
      { kind: 'bucketFile', pending: 15 },
      { kind: 'bucket', pending: 15 },
    ])
  })

  test('dependents are deleted and published in batches, however many there are', async ({
    assert,
    cleanup,
  }) => {
    const bucket = await aBucket()
    const pool = pools.for(databaseUrl('storage'))
    await pool.query(
      `insert into bucket_files (id, name, path, hash, actor_type, actor_id, bucket_id)
       select gen_random_uuid(), n::text, n::text, n::text, 'user', gen_random_uuid(), $1
       from generate_series(1, 3000) n`,
      [bucket.id]
    )
    const statements: string[] = []
    cleanup(listenToStatements(statements))
    const by = person(null!, ['bucket_delete'], { realmName: 'master' })
    assert.equal((await askStorage(by, 'DELETE', `/buckets/${bucket.id}`)).status, 202)
    assert.isBelow(statements.filter((text) => /outbox|bucket_files|fetch/i.test(text)).length, 50)
    const { rows } = await pool.query(
      `select count(*)::int as told from outbox where content->'change'->>'kind' = 'bucketFile'
         and content->'change'->'data'->>'bucketId' = $1`,
      [bucket.id]
    )
    assert.equal(rows[0].told, 3000)
  }).timeout(20_000)
})

test.group('Records created with others', () => {
  test('created dependents are published after an analysis: its nodes and its client', async ({
    assert,
    cleanup,
  }) => {
    const scene = await Scene.set()
    await scene.member()
    await scene.member('approved', 'aggregator')
    const received = listen('created')
    cleanup(received.stop)
    await scene.analysis()
    assert.equal(received.kinds()[0], 'analysis')
    assert.sameMembers(received.kinds().slice(1), ['analysisNode', 'analysisNode', 'client'])
  })

  test('created dependents are published after a node: its registry project and its client', async ({
    assert,
    cleanup,
  }) => {
    const realmId = await newRealm()
    const made = await send('POST', '/registries', { name: uniqueName(), host: 'reg.example.org' })
    const { headers } = member(realmId, [...PLATFORM_PERMISSIONS])
    const received = listen('created')
    cleanup(received.stop)
    const body = { name: uniqueName(), registryId: made.body.data.id }
    assert.equal((await ask('POST', '/nodes', { headers, body })).status, 201)
    assert.equal(received.kinds()[0], 'node')
    assert.sameMembers(received.kinds().slice(1), ['registryProject', 'client'])
  })
})
