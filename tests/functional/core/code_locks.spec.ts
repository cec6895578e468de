import { Logger } from '@adonisjs/core/logger'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { remoteBucketLocks } from '#core/code_locks/remote_bucket_locks'
import { BucketLocks } from '#core/code_locks/bucket_locks'
import { CodeLocks } from '#core/code_locks/code_locks'
import { lockReleases, lockReleaseWorker } from '#core/code_locks/lock_releases'
import { analysisStorageSweep } from '#core/analysis_storage/storage_sweep'
import { newMessage } from '#bus/message'
import { COMMAND_QUEUES, commandRouting } from '#bus/names'
import { serviceOrigin } from '#auth/service_origin'
import { runDueTasks } from '#jobs/tasks/task_worker'
import { clock } from '#kernel/clock'
import { ServiceUnavailable } from '#kernel/failures'
import { inTransaction } from '#records/transaction'
import type { Attributes } from '#records/row'
import { BucketService } from '#storage/buckets/bucket_service'
import { storagePool } from '#storage/database'
import { requireUnlocked } from '#storage/locks/bucket_locks'
import {
  LAST_BOUNDARY,
  multipart,
  NOTHING,
  openRequest,
  partHead,
  remains,
  upload,
} from '#tests/functional/storage/files_scene'
import { aBucket, aFile, callStorage, eventsAbout } from '#tests/functional/storage/storage_scene'
import { at } from '#tests/helpers/application'
import { eventually } from '#tests/helpers/eventually'
import { handingOut } from '#tests/helpers/core/handing_out'
import { MemorySignals } from '#signals/memory_signals'
import { identity, REALMS } from '#tests/helpers/identities'
import { begin, patch, tus } from '#tests/helpers/storage/tus'

import { call, database, Scene, set, type Person } from './analysis_scene.js'

const SILENT = new Logger({ enabled: false })
const codes = ({ body }: { body: any }) => body.issues.map(({ code }: { code: string }) => code)

test.group('The code of a locked analysis', (group) => {
  let scene: Scene
  let analysis: Attributes
  let bucketId: string
  let fileId: string
  let sender: Person

  const command = (name: string) =>
    call(scene.researcher(), 'POST', `/analyses/${analysis.id}/command`, { command: name })
  const file = (path: string) => [{ path, content: Buffer.from('print(1)') }]
  const entry = async (path: string) => upload(bucketId, file(path), sender)
  const speaker = () => ({ base: at('storage', ''), headers: sender.headers })

  async function locked(): Promise<void> {
    const { status, body } = await command('configurationLock')
    if (status !== 202) {
      throw new Error(JSON.stringify(body))
    }
  }

  group.each.setup(async () => {
    scene = await Scene.set()
    sender = scene.researcher()
    analysis = await scene.analysis({ masterImageId: (await scene.image()).id })
    const created = await aBucket({ realmId: analysis.realmId })
    bucketId = created.id
    const stored = await aFile(bucketId, { realmId: analysis.realmId, path: 'main.py' })
    fileId = stored.id
    const bucket = await scene.bucket(analysis)
    await set('analysis_buckets', bucket.id, { bucket_id: bucketId })
    await scene.file({ ...bucket, bucketId }, { path: 'main.py', root: true, bucketFileId: fileId })
    await scene.assign(analysis, await scene.member())
    await scene.assign(analysis, await scene.member('approved', 'aggregator'))
  })

  test('locked code stays as it is from the answer to the lock on, and changes again from that to the unlock on', async ({
    assert,
  }) => {
    assert.equal((await entry('before.py')).status, 201)
    await locked()
    const refused = [
      await entry('after.py'),
      await tus(speaker(), 'POST', `/buckets/${bucketId}/resumable`, {
        'upload-length': '4',
        'upload-metadata': `filename ${Buffer.from('big.py').toString('base64')}`,
      }),
    ]
    for (const answer of refused) {
      assert.equal(answer.status, 409)
      assert.equal(answer.body.code, 'entity_conflict')
      assert.deepEqual(codes(answer), ['analysis_locked'])
    }
    assert.equal((await remains(bucketId)).files, 2)
    assert.equal((await command('configurationUnlock')).status, 202)
    assert.equal((await entry('after.py')).status, 201)
    assert.equal((await callStorage(sender, 'DELETE', `/bucket-files/${fileId}`)).status, 202)
    assert.equal((await callStorage(sender, 'DELETE', `/buckets/${bucketId}`)).status, 202)
  })

  test('locked code takes no file that was on its way when the analysis was locked', async ({
    assert,
  }) => {
    const before = await remains(bucketId)
    const { request, answer } = openRequest(`/buckets/${bucketId}/upload`, multipart(sender))
    request.write(`${partHead('slow.py')}first half, `)
    await eventually(async () => (await remains(bucketId)).claims === 1)
    await locked()
    request.end(`second half\r\n${LAST_BOUNDARY}`)
    const { status, body } = await answer
    assert.equal(status, 409)
    assert.deepEqual(codes({ body: JSON.parse(body.toString()) }), ['analysis_locked'])
    assert.deepEqual(await remains(bucketId), { ...NOTHING, files: 1, objects: before.objects })
  })

  test('locked code takes the rest of a resumable upload once the analysis is unlocked, and nothing of it before', async ({
    assert,
  }) => {
    const path = await begin(speaker(), bucketId, 'large.py', 8)
    assert.equal((await patch(speaker(), path, 0, Buffer.from('half'))).status, 204)
    await locked()
    const refused = await patch(speaker(), path, 4, Buffer.from('half'))
    assert.equal(refused.status, 409)
    assert.deepEqual(codes(refused), ['analysis_locked'])
    assert.equal((await command('configurationUnlock')).status, 202)
    assert.equal((await patch(speaker(), path, 4, Buffer.from('half'))).status, 204)
    assert.equal((await remains(bucketId)).files, 2)
  })

  test('locked code is not deleted by a command on the bus', async ({ assert }) => {
    await locked()
    const message = newMessage(commandRouting(COMMAND_QUEUES.storageBucket), 'delete', {
      id: bucketId,
    })
    const origin = { ...(await serviceOrigin()), command: message }
    const buckets = await app.container.make(BucketService)
    await inTransaction(storagePool(), (transaction) =>
      buckets.removeForCommand(transaction, origin, bucketId)
    )
    const events = await eventsAbout(bucketId)
    assert.deepEqual(
      events.map(({ type }) => type),
      ['deletionFailed']
    )
    assert.match(events[0].data.error, /configurationUnlock/)
    assert.equal((await remains(bucketId)).files, 1)
  })

  test('locked code is locked after the files that are just being entered, which the lock waits for', async ({
    assert,
  }) => {
    const order: string[] = []
    let locking: Promise<void> | undefined
    await inTransaction(storagePool(), async (transaction) => {
      await requireUnlocked(transaction, bucketId)
      const { rows } = await transaction.query('select pg_backend_pid() as pid')
      locking = locked().then(() => void order.push('locked'))
      await eventually(async () => {
        const waiting = 'select 1 from pg_stat_activity where $1 = any(pg_blocking_pids(pid))'
        return (await storagePool().query(waiting, [rows[0].pid])).rowCount === 1
      })
      order.push('entered')
    })
    await locking
    assert.deepEqual(order, ['entered', 'locked'])
  })

  test('locked code is deleted with its analysis, once its lock is released', async ({
    assert,
  }) => {
    await locked()
    const removed = await call(scene.researcher(), 'DELETE', `/analyses/${analysis.id}`)
    assert.equal(removed.status, 202)
    const deletions = async () => {
      const { rows } = await database().query(
        `select content->'command'->>'type' as type from outbox where ordered_by = 'bucket/' || $1::text`,
        [bucketId]
      )
      return rows.map(({ type }) => type)
    }
    assert.deepEqual(await deletions(), [])
    const locks = await app.container.make(BucketLocks)
    await runDueTasks(lockReleaseWorker({ pool: database(), locks, logger: SILENT }))
    assert.deepEqual(await deletions(), ['delete'])
    assert.equal((await callStorage(sender, 'DELETE', `/buckets/${bucketId}`)).status, 202)
  })

  test('locked code gets no further bucket', async ({ assert }) => {
    await locked()
    const add = (type: string) =>
      call(scene.researcher(), 'POST', '/analysis-buckets', {
        analysisId: analysis.id,
        bucketId: clock.uuid(),
        type,
      })
    const refused = await add('CODE')
    assert.equal(refused.status, 400)
    assert.deepEqual(codes(refused), ['configuration_locked'])
    assert.equal((await add('RESULT')).status, 201)
  })

  test('locked code is locked at storage by the comparison where only core knows of the lock, and released where only storage does', async ({
    assert,
  }) => {
    await set('analyses', analysis.id, { configuration_locked: true })
    const stray = await aBucket({ realmId: analysis.realmId })
    const locks = await app.container.make(BucketLocks)
    await locks.lock([{ id: clock.uuid(), bucketIds: [stray.id] }])
    await storagePool().query(
      `update bucket_locks set created_at = now() - interval '1 hour' where bucket_id = $1`,
      [stray.id]
    )
    assert.equal((await upload(stray.id, file('a.py'), sender)).status, 409)
    const inventory = (await app.container.make('storageInventory'))!
    const sweep = analysisStorageSweep({ inventory, logger: SILENT })
    await eventually(async () => (await sweep.runTurn(new AbortController().signal)).isDone)
    assert.equal((await upload(stray.id, file('a.py'), sender)).status, 201)
    assert.equal((await entry('after.py')).status, 409)
    assert.equal((await command('configurationUnlock')).status, 202)
    assert.equal((await entry('after.py')).status, 201)
  })
})

test.group('A lock at storage', () => {
  const machine = () => identity({ kind: 'client' })
  const overHttp = (url = at('storage', '')): BucketLocks =>
    remoteBucketLocks({ url, provider: handingOut(machine().token) })
  const codeLocks = (storage: BucketLocks) =>
    new CodeLocks(database(), storage, new MemorySignals(() => {}), SILENT)
  const sends = async (bucketId: string) =>
    (await upload(bucketId, [{ path: `${clock.uuid()}.py`, content: Buffer.from('a') }])).status

  test('a lock is made, listed and released at its address as in one process', async ({
    assert,
  }) => {
    for (const locks of [overHttp(), await app.container.make(BucketLocks)]) {
      const { id: bucketId } = await aBucket()
      const id = clock.uuid()
      for (let times = 0; times < 2; times++) {
        await locks.lock([{ id, bucketIds: [bucketId, clock.uuid()] }])
      }
      const before = `${id.slice(0, -1)}${'0'}`
      const listed = (await locks.list(before)).filter((lock) => lock.id === id)
      assert.lengthOf(listed, id === before ? 0 : 1)
      assert.equal(await sends(bucketId), 409)
      await locks.release(id)
      await locks.release(id)
      assert.equal(await sends(bucketId), 201)
    }
  })

  test('a lock is not for people, nor for machines of another realm', async ({ assert }) => {
    const body = { locks: [{ id: clock.uuid(), bucketIds: [clock.uuid()] }] }
    for (const by of [
      identity(),
      identity({ kind: 'client', realmId: REALMS.other, realmName: 'site' }),
      identity({ kind: 'client', permissions: ['bucket_update'] }),
    ]) {
      assert.equal((await callStorage(by, 'POST', '/bucket-locks', body)).status, 403)
      assert.equal((await callStorage(by, 'GET', '/bucket-locks')).status, 403)
      assert.equal((await callStorage(by, 'DELETE', `/bucket-locks/${clock.uuid()}`)).status, 403)
    }
  })

  test('a lock is released by any process if the process that created it died', async ({
    assert,
  }) => {
    const { id: bucketId } = await aBucket()
    const storage = await app.container.make(BucketLocks)
    const died = Promise.withResolvers<never>()
    const reached = Promise.withResolvers<void>()
    void codeLocks(storage)
      .withLock([bucketId], () => {
        reached.resolve()
        return died.promise
      })
      .catch(() => {})
    await reached.promise
    assert.equal(await sends(bucketId), 409)
    await database().query(
      `update tasks set due_at = now() - interval '1 minute' where queue = 'code-lock-release'`
    )
    await runDueTasks(lockReleaseWorker({ pool: database(), locks: storage, logger: SILENT }))
    assert.equal(await sends(bucketId), 201)
    died.reject(new Error('The process died'))
  })

  test('a lock is released if its analysis could not be locked, and not confirmed after its time', async ({
    assert,
  }) => {
    const { id: bucketId } = await aBucket()
    const locks = codeLocks(await app.container.make(BucketLocks))
    await assert.rejects(
      () => locks.withLock([bucketId], () => Promise.reject(new Error('refused'))),
      'refused'
    )
    assert.equal(await sends(bucketId), 201)
    const late = locks.withLock([bucketId], async (lock) => {
      await database().query(`update tasks set attempts = 1 where queue = 'code-lock-release'`)
      await inTransaction(database(), (transaction) => lock.confirm(transaction, clock.uuid()))
    })
    await assert.rejects(() => late, /took too long/)
    await lockReleases(database()).claim(100)
  })

  test('a lock is waited for in vain where storage is away, and the analysis is not locked', async ({
    assert,
  }) => {
    for (const url of ['http://127.0.0.1:9', at('storage', '/no-such-path')]) {
      let isReached = false
      const failure = await codeLocks(overHttp(url))
        .withLock([clock.uuid()], async () => void (isReached = true))
        .catch((error) => error)
      assert.instanceOf(failure, ServiceUnavailable)
      assert.isFalse(isReached)
    }
  })
})
