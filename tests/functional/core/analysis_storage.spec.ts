import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { serviceOrigin } from '#auth/service_origin'
import { remoteInventory } from '#core/analysis_storage/remote_inventory'
import type { Inventory } from '#core/analysis_storage/inventory'
import { analysisStorageSweep } from '#core/analysis_storage/storage_sweep'
import { clock } from '#kernel/clock'
import { ServiceUnavailable } from '#kernel/failures'
import type { Attributes } from '#records/row'
import { storagePool } from '#storage/database'
import { at } from '#tests/helpers/application'
import { handingOut } from '#tests/helpers/core/handing_out'
import { identity } from '#tests/helpers/identities'
import { aBucket, aFile, callStorage } from '#tests/functional/storage/storage_scene'

import { call, database, decided, Scene, set } from './analysis_scene.js'

type Type = 'CODE' | 'RESULT' | 'TEMP'

const silent = { info() {}, warn() {} }
const running = () => new AbortController().signal

const overHttp = (url = at('storage', '')): Inventory =>
  remoteInventory({ url, provider: handingOut(identity().token) })

/** Older objects are not in transit any more. */
async function earlier(surface: 'core' | 'storage', table: string, id: unknown): Promise<void> {
  const pool = surface === 'core' ? database() : storagePool()
  await pool.query(`update ${table} set created_at = now() - interval '1 hour' where id = $1`, [id])
}

/** Runs the comparison; returns the logged warnings. */
async function compare(inventory: Inventory): Promise<Attributes[]> {
  const warnings: Attributes[] = []
  const logger = { ...silent, warn: (warning: Attributes) => void warnings.push(warning) }
  const sweep = analysisStorageSweep({ inventory, logger: logger as typeof silent })
  for (let isDone = false; !isDone;) {
    isDone = (await sweep.runTurn(running())).isDone
  }
  return warnings
}

for (const [where, open] of [
  ['in this process', async () => (await app.container.make('storageInventory'))!],
  ['at an address', async () => overHttp()],
] as const) {
  test.group(`Analyses and a storage ${where}`, (group) => {
    let scene: Scene
    let analysis: Attributes
    let inventory: Inventory

    group.each.setup(async () => {
      scene = await Scene.set()
      analysis = await scene.analysis()
      await earlier('core', 'analyses', analysis.id)
      inventory = await open()
    })

    const list = async (path: string) => (await call(scene.admin(), 'GET', path)).body.data
    const bucketsOf = ({ id }: Attributes): Promise<Attributes[]> =>
      list(`/analysis-buckets?filter[analysisId]=${id}`)
    const filesOf = ({ id }: Attributes): Promise<Attributes[]> =>
      list(`/analysis-bucket-files?filter[analysisBucketId]=${id}&page[limit]=50`)

    /** A bucket that storage created for an analysis. */
    const createdFor = async (analysisId: unknown, type = 'code', attributes: Attributes = {}) => {
      const { actor } = await serviceOrigin()
      const created = await aBucket({
        name: `analysis-${type}-files.${analysisId}`,
        realmId: analysis.realmId,
        actorId: actor.id,
        actorType: actor.kind,
        ...attributes,
      })
      await earlier('storage', 'buckets', created.id)
      return created
    }
    /** A bucket that exists on both sides. */
    const shared = async (type: Type = 'CODE'): Promise<Attributes & { bucketId: string }> => {
      const { id } = await aBucket({ realmId: analysis.realmId })
      const bucket = await scene.bucket(analysis, type)
      await set('analysis_buckets', bucket.id, { bucket_id: id })
      await earlier('core', 'analysis_buckets', bucket.id)
      return { ...bucket, bucketId: id }
    }
    const stored = async ({ bucketId }: Attributes, attributes: Attributes = {}) => {
      const file = await aFile(bucketId as string, { realmId: analysis.realmId, ...attributes })
      await earlier('storage', 'bucket_files', file.id)
      return file
    }
    const added = async (bucket: Attributes, attributes: Attributes = {}) => {
      const file = await scene.file(bucket, attributes)
      await earlier('core', 'analysis_bucket_files', file.id)
      return file
    }
    const deletions = async (bucketId: string) => {
      const { rowCount } = await database().query(
        `select 1 from outbox where ordered_by = 'bucket/' || $1::text`,
        [bucketId]
      )
      return rowCount
    }
    const requests = async () => {
      const { rows } = await database().query<{ type: string; count: number }>(
        `select type, count(*)::int as count from analysis_bucket_requests
         where analysis_id = $1 group by type`,
        [analysis.id]
      )
      return Object.fromEntries(rows.map(({ type, count }) => [type, count]))
    }
    const waited = () =>
      database().query(
        `update analysis_bucket_requests set requested_at = now() - interval '1 hour' where analysis_id = $1`,
        [analysis.id]
      )

    test('an unknown bucket is added, and the others are requested', async ({ assert }) => {
      const { id } = await createdFor(analysis.id)
      const foreign = await aBucket({ name: `analysis-temp-files.${analysis.id}` })
      await earlier('storage', 'buckets', foreign.id)
      await waited()
      await compare(inventory)
      const buckets = await bucketsOf(analysis)
      assert.deepEqual(
        buckets.map(({ type, bucketId, realmId }) => ({ type, bucketId, realmId })),
        [{ type: 'CODE', bucketId: id, realmId: analysis.realmId }]
      )
      assert.deepEqual(await requests(), { CODE: 1, RESULT: 2, TEMP: 2 })
      await compare(inventory)
      assert.deepEqual(await requests(), { CODE: 1, RESULT: 2, TEMP: 2 })
    })

    test('an unused bucket is deleted if it is empty', async ({ assert }) => {
      await shared()
      const twice = await createdFor(analysis.id)
      const filled = await createdFor(analysis.id)
      await stored({ bucketId: filled.id })
      const emptyBucket = await createdFor(clock.uuid(), 'result')
      const others = await createdFor(clock.uuid(), 'result', { actorId: clock.uuid() })
      const warnings = await compare(inventory)
      assert.equal(await deletions(twice.id), 1)
      assert.equal(await deletions(emptyBucket.id), 1)
      assert.equal(await deletions(filled.id), 0)
      assert.equal(await deletions(others.id), 0)
      assert.isTrue(warnings.some(({ bucketId }) => bucketId === filled.id))
      await storagePool().query('delete from buckets where id = any($1)', [
        [twice.id, filled.id, emptyBucket.id],
      ])
    })

    test('a bucket that storage lost is removed with its files, and another is requested', async ({
      assert,
    }) => {
      const lost = await scene.bucket(analysis)
      await scene.file(lost, { root: true })
      await set('analyses', analysis.id, { configuration_entrypoint_valid: true })
      await earlier('core', 'analysis_buckets', lost.id)
      const remainingBucket = await shared('RESULT')
      await waited()
      await compare(inventory)
      assert.deepEqual(
        (await bucketsOf(analysis)).map(({ id }) => id),
        [remainingBucket.id]
      )
      assert.isFalse((await scene.read(analysis)).configurationEntrypointValid)
      assert.equal((await requests()).CODE, 2)
    })

    test('many missing buckets at once are treated as a mistake', async ({ assert }) => {
      const lost: Attributes[] = []
      for (let count = 0; count < 6; count++) {
        const one = await scene.bucket(await scene.analysis())
        await earlier('core', 'analysis_buckets', one.id)
        lost.push(one)
      }
      const ids = lost.map(({ id }) => id)
      await assert.rejects(() => compare(inventory), /^6 buckets.+STORAGE_GONE_AT_ONCE=6/)
      const { rowCount } = await database().query(
        'delete from analysis_buckets where id = any($1)',
        [ids]
      )
      assert.equal(rowCount, 6)
    })

    test('files come and go, page by page, as storage has them', async ({ assert }) => {
      const bucket = await shared('RESULT')
      const missing: string[] = []
      const known: string[] = []
      for (let count = 0; count < 60; count++) {
        const { id, path } = await stored(bucket, { path: `results/${count}.csv` })
        if (count % 2 === 0) {
          missing.push(id)
        } else {
          known.push(id)
          await added(bucket, { bucketFileId: id, path })
        }
      }
      const lost = await Promise.all(
        [1, 2, 3].map((count) => added(bucket, { path: `gone/${count}.csv` }))
      )
      await compare(inventory)
      const { rows } = await database().query<{ id: string; user: string }>(
        `select bucket_file_id as id, user_id as user from analysis_bucket_files
         where analysis_bucket_id = $1`,
        [bucket.id]
      )
      assert.sameMembers(
        rows.map(({ id }) => id),
        [...missing, ...known]
      )
      assert.isFalse(rows.some(({ id }) => lost.some(({ bucketFileId }) => bucketFileId === id)))
      assert.isTrue(
        rows.filter(({ id }) => missing.includes(id)).every(({ user }) => user !== null)
      )
    })

    test('unknown code and missing code withdraw approvals', async ({ assert }) => {
      const bucket = await shared()
      const approved = await scene.assigned(analysis, 'approved')
      const decision = async () =>
        (await call(scene.admin(), 'GET', `/analysis-nodes/${approved.id}`)).body.data
          .approvalStatus
      const lockedAndApproved = async () => {
        await set('analyses', analysis.id, { configuration_locked: true })
        await decided(approved.id, 'approved')
      }
      const root = await added(bucket, { root: true, path: 'gone.py' })
      await set('analyses', analysis.id, { configuration_entrypoint_valid: true })
      await lockedAndApproved()
      await compare(inventory)
      assert.isEmpty(await filesOf(bucket))
      assert.isNull(await decision())
      assert.isFalse((await scene.read(analysis)).configurationEntrypointValid)
      const { id } = await stored(bucket, { path: 'main.py' })
      await lockedAndApproved()
      await compare(inventory)
      assert.containSubset(await filesOf(bucket), [
        { bucketFileId: id, path: 'main.py', root: false },
      ])
      assert.notEqual(root.bucketFileId, id)
      assert.isNull(await decision())
    })

    test('recent and correct records are not changed', async ({ assert }) => {
      const bucket = await shared()
      const { id, path } = await stored(bucket)
      const right = await added(bucket, { bucketFileId: id, path, root: true })
      const elsewhere = await stored({ bucketId: (await aBucket()).id })
      const other = await added(bucket, { bucketFileId: elsewhere.id })
      const young = await scene.file(bucket)
      const { id: onItsWay } = await aFile(bucket.bucketId)
      const youngBucket = await scene.bucket(analysis, 'TEMP')
      await compare(inventory)
      const files = await filesOf(bucket)
      assert.sameMembers(
        files.map((file) => file.id),
        [right.id, other.id, young.id]
      )
      assert.isTrue(files.find((file) => file.id === right.id)!.root)
      assert.isFalse(files.some(({ bucketFileId }) => bucketFileId === onItsWay))
      assert.include(
        (await bucketsOf(analysis)).map((one) => String(one.id)),
        String(youngBucket.id)
      )
      const answer = await callStorage(scene.admin(), 'GET', `/bucket-files/${onItsWay}`)
      assert.equal(answer.status, 200)
    })

    test('a comparison continues in its next turn, and stops when it is aborted', async ({
      assert,
    }) => {
      const bucket = await shared('RESULT')
      const { id } = await stored(bucket)
      const sweep = analysisStorageSweep({ inventory, logger: silent, turnMs: 0.001 })
      const stopped = AbortSignal.abort()
      assert.deepEqual(await sweep.runTurn(stopped), { removed: 0, isDone: false })
      let turns = 1
      while (!(await sweep.runTurn(running())).isDone) {
        turns++
      }
      assert.isAbove(turns, 2)
      assert.containSubset(await filesOf(bucket), [{ bucketFileId: id }])
    })
  })
}

test.group('Analyses while storage is unavailable', () => {
  test('storage is waited for, and nothing is changed', async ({ assert }) => {
    const scene = await Scene.set()
    const bucket = await scene.bucket(await scene.analysis())
    await earlier('core', 'analysis_buckets', bucket.id)
    for (const url of ['http://127.0.0.1:9', at('storage', '/no-such-path')]) {
      const failure = await compare(overHttp(url)).catch((error) => error)
      assert.instanceOf(failure, ServiceUnavailable)
      assert.match(failure.message, /The inventory of storage is not available/)
    }
    const { rowCount } = await database().query('delete from analysis_buckets where id = $1', [
      bucket.id,
    ])
    assert.equal(rowCount, 1)
  })
})
