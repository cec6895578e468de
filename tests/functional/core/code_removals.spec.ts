import { Logger } from '@adonisjs/core/logger'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { analysisStorageSweep } from '#core/analysis_storage/storage_sweep'
import { codeRemovalWorker } from '#core/code_locks/code_removals'
import { remoteStorageRemovals } from '#core/code_locks/remote_storage_removals'
import { StorageRemovals } from '#core/code_locks/storage_removals'
import { runDueTasks } from '#jobs/tasks/task_worker'
import { clock } from '#kernel/clock'
import { ServiceUnavailable } from '#kernel/failures'
import type { Attributes } from '#records/row'
import { CodeRecords } from '#storage/locks/code_records'
import { storagePool } from '#storage/database'
import { remoteCodeRecords } from '#storage/locks/remote_code_records'
import { withoutCodeRecords } from '#storage/locks/without_code_records'
import { upload } from '#tests/functional/storage/files_scene'
import { aBucket, aFile, callStorage } from '#tests/functional/storage/storage_scene'
import { at } from '#tests/helpers/application'
import { handingOut } from '#tests/helpers/core/handing_out'
import { eventually } from '#tests/helpers/eventually'
import { identity } from '#tests/helpers/identities'
import { withLockedRow } from '#tests/helpers/locked_row'

import { call, database, Scene, set, type Answer, type Person } from './analysis_scene.js'

const SILENT = new Logger({ enabled: false })
const BUSY = ['starting', 'started', 'executing', 'stopping']

const codes = ({ body }: { body: any }) => body.issues.map(({ code }: { code: string }) => code)
const platform = () => handingOut(identity({ kind: 'client' }).token)

/** How storage reaches core, and core storage. */
const WAYS = [
  ['in one process', async () => undefined],
  [
    'over HTTP',
    async () => {
      app.container.swap(CodeRecords, () =>
        remoteCodeRecords({ url: at('core', ''), provider: platform() })
      )
      app.container.swap(StorageRemovals, () =>
        remoteStorageRemovals({ url: at('storage', ''), provider: platform() })
      )
    },
  ],
] as const

/** Deletes at storage what is due, as if the grace of clients were over. */
async function runRemovals(): Promise<void> {
  await database().query(
    `update tasks set due_at = now() - interval '1 minute' where queue = 'code-removal'`
  )
  const storage = await app.container.make(StorageRemovals)
  await runDueTasks(codeRemovalWorker({ pool: database(), storage, logger: SILENT }))
}

async function compare(): Promise<void> {
  const inventory = (await app.container.make('storageInventory'))!
  const sweep = analysisStorageSweep({ inventory, logger: SILENT })
  await eventually(async () => (await sweep.runTurn(new AbortController().signal)).isDone)
}

for (const [how, connect] of WAYS) {
  test.group(`Code that is deleted from a locked analysis, ${how}`, (group) => {
    let scene: Scene
    let analysis: Attributes
    let part: Attributes
    let bucket: Attributes
    let row: Attributes
    let bucketId: string
    let fileId: string
    let analyst: Person

    group.each.setup(async () => {
      await connect()
      scene = await Scene.set()
      analyst = scene.researcher()
      analysis = await scene.analysis({ masterImageId: (await scene.image()).id })
      const stored = await aBucket({
        realmId: analysis.realmId,
        refType: 'analysis',
        refId: analysis.id,
      })
      bucketId = stored.id
      bucket = { ...(await scene.bucket(analysis)), bucketId }
      await set('analysis_buckets', bucket.id, { bucket_id: bucketId })
      fileId = (await add('main.py', { root: true })).fileId
      row = await rowOf(fileId)
      part = await scene.assign(analysis, await scene.member())
      await scene.assign(analysis, await scene.member('approved', 'aggregator'))
      accept(await command('configurationLock'))
      accept(await approve())
      return () => app.container.restoreAll()
    })

    const command = (name: string) =>
      call(analyst, 'POST', `/analyses/${analysis.id}/command`, { command: name })
    const approve = () =>
      call(scene.steward(), 'POST', `/analysis-nodes/${part.id}`, { approvalStatus: 'approved' })
    const approval = async () =>
      (await call(scene.steward(), 'GET', `/analysis-nodes/${part.id}`)).body.data.approvalStatus
    const statusOf = async (path: string) => (await callStorage(analyst, 'GET', path)).status
    const ways: readonly (readonly [string, (by: Person) => Promise<Answer>])[] = [
      ['its file at storage', (by) => callStorage(by, 'DELETE', `/bucket-files/${fileId}`)],
      ['its bucket at storage', (by) => callStorage(by, 'DELETE', `/buckets/${bucketId}`)],
      ['the record of its file', (by) => call(by, 'DELETE', `/analysis-bucket-files/${row.id}`)],
      ['the record of its bucket', (by) => call(by, 'DELETE', `/analysis-buckets/${bucket.id}`)],
    ]

    async function add(path: string, { root = false, to = bucket } = {}) {
      const stored = await aFile(to.bucketId as string, { realmId: analysis.realmId, path })
      const listed = await scene.file(to, { path, root, bucketFileId: stored.id })
      return { fileId: stored.id as string, rowId: listed.id as string }
    }

    async function rowOf(id: string): Promise<Attributes> {
      const query = 'select * from analysis_bucket_files where bucket_file_id = $1'
      return (await database().query(query, [id])).rows[0]
    }

    function accept({ status, body }: Answer): void {
      if (status !== 202) {
        throw new Error(`It was answered with ${status}: ${JSON.stringify(body)}`)
      }
    }

    for (const [index, way] of ways.entries()) {
      test(`locked code is gone on both sides after ${way[0]} was deleted, and has to be approved anew`, async ({
        assert,
      }) => {
        const { status, body } = await way[1](analyst)
        assert.equal(status, 202, JSON.stringify(body))
        assert.isUndefined(await rowOf(fileId))
        assert.isNull(await approval())
        const { configurationLocked, configurationEntrypointValid } = await scene.read(analysis)
        assert.deepEqual([configurationLocked, configurationEntrypointValid], [true, false])
        const started = await command('buildStart')
        assert.equal(started.status, 400)
        assert.include(codes(started), 'nodes_approval_required')
        await runRemovals()
        assert.equal(await statusOf(`/bucket-files/${fileId}`), 404)
        assert.equal(await statusOf(`/buckets/${bucketId}`), index % 2 === 0 ? 200 : 404)
        const changes = await call(scene.steward([]), 'GET', `/analysis-nodes/${part.id}/changes`)
        assert.deepEqual(changes.body.data.changes.files.removed, ['main.py'])
      })

      for (const process of ['build', 'distribution'] as const) {
        test(`locked code stays while its ${process} is under way, whoever deletes ${way[0]}`, async ({
          assert,
        }) => {
          for (const status of BUSY) {
            await set('analyses', analysis.id, { [`${process}_status`]: status })
            const refused = await way[1](analyst)
            assert.equal(refused.status, 409)
            assert.equal(refused.body.code, 'entity_conflict')
            assert.deepEqual(codes(refused), ['process_running'])
            assert.match(refused.body.message, new RegExp(`The ${process} .* wait until`))
          }
          assert.isDefined(await rowOf(fileId))
          assert.equal(await statusOf(`/bucket-files/${fileId}`), 200)
          assert.equal(await approval(), 'approved')
          await set('analyses', analysis.id, { [`${process}_status`]: 'failed' })
          assert.equal((await way[1](analyst)).status, 202)
          assert.isNull(await approval())
        })
      }

      test(`locked code stays where ${way[0]} is deleted by those who decide, take part or do neither`, async ({
        assert,
      }) => {
        const { rows } = await database().query(
          `select n.* , n.client_id as "clientId" from nodes n where n.id = $1`,
          [part.nodeId]
        )
        for (const by of [scene.steward(), scene.clientOf(rows[0]), scene.stranger()]) {
          assert.equal((await way[1](by)).status, 403)
        }
        assert.equal((await way[1](scene.researcher([]))).status, 403)
        assert.isDefined(await rowOf(fileId))
        assert.equal(await statusOf(`/bucket-files/${fileId}`), 200)
        assert.equal(await approval(), 'approved')
      })

      test(`locked code waits for a build that is just being started before ${way[0]} is deleted`, async ({
        assert,
      }) => {
        const refused = await withLockedRow(
          database(),
          {
            locks: 'select 1 from analyses where id = $1 for update',
            then: `update analyses set build_status = 'starting' where id = $1`,
            id: analysis.id,
          },
          () => way[1](analyst)
        )
        assert.equal((refused as Answer).status, 409)
        assert.equal(await statusOf(`/bucket-files/${fileId}`), 200)
      })
    }

    test('locked code is deleted in the name of its caller, on both sides', async ({ assert }) => {
      const named = async (pool: ReturnType<typeof database>, id: unknown) => {
        const { rows } = await pool.query(
          `select content->'change'->'actor' as actor, content as whole from outbox
           where content->'change'->>'id' = $1 and content->'change'->>'change' = 'deleted'`,
          [id]
        )
        return JSON.stringify(rows)
      }
      accept(await callStorage(analyst, 'DELETE', `/bucket-files/${fileId}`))
      const { id } = await caller(analyst)
      assert.include(await named(database(), row.id), id)
      assert.include(await named(storagePool(), fileId), id)
    })

    async function caller(by: Person): Promise<{ id: string }> {
      return { id: (by as unknown as { actor: { id: string } }).actor.id }
    }

    test('locked code is deleted at storage by a client that deletes the record first, and the file after it', async ({
      assert,
    }) => {
      accept(await call(analyst, 'DELETE', `/analysis-bucket-files/${row.id}`))
      accept(await callStorage(analyst, 'DELETE', `/bucket-files/${fileId}`))
      await runRemovals()
      assert.equal(await statusOf(`/bucket-files/${fileId}`), 404)
    })

    test('locked code is not added again by the comparison, nor are results whose record was removed', async ({
      assert,
    }) => {
      const results = await aBucket({ realmId: analysis.realmId })
      const ofResults: Attributes = {
        ...(await scene.bucket(analysis, 'RESULT')),
        bucketId: results.id,
      }
      await set('analysis_buckets', ofResults.id, { bucket_id: results.id })
      const result = await add('result.csv', { to: ofResults })
      await storagePool().query(`update bucket_files set created_at = now() - interval '1 hour'
        where bucket_id = any('{${bucketId},${results.id}}')`)
      accept(await call(analyst, 'DELETE', `/analysis-bucket-files/${row.id}`))
      accept(await call(analyst, 'DELETE', `/analysis-bucket-files/${result.rowId}`))
      await compare()
      assert.isUndefined(await rowOf(fileId))
      assert.isUndefined(await rowOf(result.fileId))
      await runRemovals()
      assert.equal(await statusOf(`/bucket-files/${fileId}`), 404)
      assert.equal(await statusOf(`/bucket-files/${result.fileId}`), 200)
    })

    test('locked code stays at storage where another analysis has the file, too', async ({
      assert,
    }) => {
      const other = await scene.analysis()
      const shared: Attributes = { ...(await scene.bucket(other)), bucketId }
      await set('analysis_buckets', shared.id, { bucket_id: bucketId })
      await scene.file(shared, { path: 'main.py', bucketFileId: fileId })
      accept(await call(analyst, 'DELETE', `/analysis-bucket-files/${row.id}`))
      accept(await call(analyst, 'DELETE', `/analysis-buckets/${bucket.id}`))
      await runRemovals()
      assert.isDefined(await rowOf(fileId))
      assert.equal(await statusOf(`/bucket-files/${fileId}`), 200)
    })

    test('locked code keeps a bucket that a caller had added, when its record is removed', async ({
      assert,
    }) => {
      await set('analysis_buckets', bucket.id, { built_in: false })
      accept(await call(analyst, 'DELETE', `/analysis-buckets/${bucket.id}`))
      await runRemovals()
      assert.equal(await statusOf(`/buckets/${bucketId}`), 200)
    })

    test('locked code is neither replaced nor added to as long as the analysis is locked', async ({
      assert,
    }) => {
      accept(await callStorage(analyst, 'DELETE', `/bucket-files/${fileId}`))
      for (const path of ['main.py', 'other.py']) {
        const refused = await upload(bucketId, [{ path, content: Buffer.from('a') }], analyst)
        assert.equal(refused.status, 409)
        assert.deepEqual(codes(refused), ['analysis_locked'])
      }
    })
  })
}

test.group('Code of a locked analysis, while core is away', (group) => {
  group.each.teardown(() => app.container.restoreAll())

  test('locked code stays, and is deleted at the next attempt', async ({ assert }) => {
    const scene = await Scene.set()
    const { id: bucketId } = await aBucket({ realmId: scene.realms.project })
    const { id: fileId } = await aFile(bucketId, { realmId: scene.realms.project })
    await storagePool().query('insert into bucket_locks (lock_id, bucket_id) values ($1, $2)', [
      clock.uuid(),
      bucketId,
    ])
    const remove = () => callStorage(scene.researcher(), 'DELETE', `/bucket-files/${fileId}`)
    for (const url of ['http://127.0.0.1:9', at('core', '/no-such-path')]) {
      app.container.swap(CodeRecords, () => remoteCodeRecords({ url, provider: platform() }))
      const { status, headers } = await remove()
      assert.equal(status, 503)
      assert.isNotNull(headers.get('retry-after'))
    }
    app.container.swap(CodeRecords, () => withoutCodeRecords)
    const refused = await remove()
    assert.equal(refused.status, 409)
    assert.deepEqual(codes(refused), ['analysis_locked'])
    app.container.restoreAll()
    assert.equal((await remove()).status, 202)
  })

  test('locked code is deleted later where storage is away', async ({ assert }) => {
    const away = remoteStorageRemovals({ url: 'http://127.0.0.1:9', provider: platform() })
    await assert.rejects(
      () => away.remove({ file: clock.uuid() }),
      ServiceUnavailable as unknown as new () => Error
    )
  })
})
