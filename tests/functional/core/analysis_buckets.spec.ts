import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { serviceOrigin } from '#auth/service_origin'
import type { BucketType } from '#core/analysis_buckets/analysis_bucket'
import { AnalysisBucketService } from '#core/analysis_buckets/analysis_bucket_service'
import { recordCreated } from '#core/analysis_buckets/bucket_requests'
import { clock } from '#kernel/clock'
import type { Attributes } from '#records/row'
import { inTransaction } from '#records/transaction'

import { call, database, Scene } from './analysis_scene.js'

test.group('The buckets of an analysis', (group) => {
  let scene: Scene
  let analysis: Attributes

  group.each.setup(async () => {
    scene = await Scene.set()
    analysis = await scene.analysis()
  })

  const shown = async (): Promise<Attributes[]> => {
    const path = `/analysis-buckets?filter[analysisId]=${analysis.id}`
    return (await call(scene.researcher(), 'GET', path)).body.data
  }
  const types = async () => (await shown()).map(({ type }) => type).toSorted()
  const add = (type: BucketType, bucketId = clock.uuid()) =>
    call(scene.researcher(), 'POST', '/analysis-buckets', {
      analysisId: analysis.id,
      bucketId,
      type,
    })

  async function requests(): Promise<ReadonlyMap<BucketType, string>> {
    const { rows } = await database().query<{ type: BucketType; id: string }>(
      'select type, correlation_id as id from analysis_bucket_requests where analysis_id = $1',
      [analysis.id]
    )
    return new Map(rows.map(({ type, id }) => [type, id]))
  }

  /** Publishes the event of storage that a bucket was created; returns its id. */
  async function bucketCreated(type: BucketType, bucketId = clock.uuid()): Promise<string> {
    const correlationId = (await requests()).get(type)
    const buckets = await app.container.make(AnalysisBucketService)
    const origin = await serviceOrigin()
    await inTransaction(database(), async (transaction) => {
      const request = await recordCreated(transaction, correlationId, bucketId)
      await buckets.addCreated(transaction, origin, request!.analysisId)
    })
    return bucketId
  }

  async function deletedBuckets(): Promise<string[]> {
    const { rows } = await database().query<{ id: string }>(
      `select content->'command'->'data'->>'id' as id from outbox
       where content->'command'->>'type' = 'delete' and ordered_by like 'bucket/%'`
    )
    return rows.map(({ id }) => id)
  }

  test('buckets become visible together, in whatever order storage makes them', async ({
    assert,
  }) => {
    await bucketCreated('TEMP')
    assert.deepEqual(await types(), [])
    await bucketCreated('CODE')
    assert.deepEqual(await types(), [])
    await bucketCreated('RESULT')
    assert.deepEqual(await types(), ['CODE', 'RESULT', 'TEMP'])
    assert.equal((await requests()).size, 0)
  })

  test('buckets may be several of a type, of which a caller adds all but one', async ({
    assert,
  }) => {
    const { body } = await add('RESULT')
    assert.deepEqual(await types(), ['RESULT'])
    const builtIn = [
      await bucketCreated('CODE'),
      await bucketCreated('RESULT'),
      await bucketCreated('TEMP'),
    ]
    assert.sameMembers(
      (await shown()).map(({ bucketId }) => bucketId),
      [body.data.bucketId, ...builtIn]
    )
    const twice = await add('CODE', body.data.bucketId)
    assert.equal(twice.status, 409)
    assert.deepEqual(twice.body.issues[0].path, ['bucketId', 'analysisId'])
    const checked = await call(scene.researcher(), 'POST', `/analyses/${analysis.id}/command`, {
      command: 'storageCheck',
    })
    assert.equal(checked.status, 202)
    assert.equal((await requests()).size, 0)
  })

  test('buckets are those of the platform also where a caller added one of them before', async ({
    assert,
  }) => {
    const { body } = await add('TEMP')
    await bucketCreated('CODE')
    await bucketCreated('TEMP', body.data.bucketId)
    await bucketCreated('RESULT')
    assert.sameMembers(await types(), ['CODE', 'RESULT', 'TEMP'])
    const { rowCount } = await database().query(
      'select 1 from analysis_buckets where analysis_id = $1 and built_in',
      [analysis.id]
    )
    assert.equal(rowCount, 3)
  })

  test('that wait for others are deleted with their analysis', async ({ assert }) => {
    const waiting = await bucketCreated('CODE')
    const removed = await call(scene.researcher(), 'DELETE', `/analyses/${analysis.id}`)
    assert.equal(removed.status, 202)
    assert.include(await deletedBuckets(), waiting)
    const late = await bucketCreated('RESULT')
    assert.include(await deletedBuckets(), late)
    assert.deepEqual([...(await requests()).keys()], ['TEMP'])
  })

  test('buckets are requested again if storage deleted a waiting one', async ({ assert }) => {
    const waiting = await bucketCreated('CODE')
    const buckets = await app.container.make(AnalysisBucketService)
    const origin = await serviceOrigin()
    await inTransaction(database(), (transaction) =>
      buckets.removeDeleted(transaction, origin, waiting)
    )
    await call(scene.researcher(), 'POST', `/analyses/${analysis.id}/command`, {
      command: 'storageCheck',
    })
    await bucketCreated('RESULT')
    await bucketCreated('CODE')
    assert.deepEqual(await types(), [])
    await bucketCreated('TEMP')
    assert.deepEqual(await types(), ['CODE', 'RESULT', 'TEMP'])
    assert.notInclude(
      (await shown()).map(({ bucketId }) => bucketId),
      waiting
    )
  })
})
