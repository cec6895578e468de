import { Readable } from 'node:stream'

import { test } from '@japa/runner'

import type { Attributes } from '#records/row'
import { FILE_BY_ID } from '#storage/bucket_files/file_row'
import { storagePool } from '#storage/database'
import { objectAddress } from '#storage/objects/layout'
import { objectStore } from '#storage/objects/store'

import { call, database, Scene, set } from './analysis_scene.js'

const codes = ({ body }: { body: any }) => body.issues.map(({ code }: { code: string }) => code)

test.group('Commands of an analysis', (group) => {
  let scene: Scene
  let analysis: Attributes

  const command = (name: unknown, by = scene.researcher(), id = analysis.id) =>
    call(by, 'POST', `/analyses/${id}/command`, { command: name })
  const now = () => scene.read(analysis)
  const decide = ({ id }: Attributes, approvalStatus: string | null) =>
    call(scene.steward(), 'POST', `/analysis-nodes/${id}`, { approvalStatus })

  async function sent(): Promise<{ queue: string; type: string; data: any; metadata: any }[]> {
    const { rows } = await database().query(
      `select message_id as id, queue from outbox
       where ordered_by = $1 and queue is not null order by position`,
      [`analysis/${analysis.id}`]
    )
    return rows
  }

  /** An analysis that can be locked; its nodes have not decided. */
  async function complete(): Promise<{ worker: Attributes; aggregator: Attributes }> {
    const { id: registryId } = await scene.registry()
    await set('analyses', analysis.id, { master_image_id: (await scene.image()).id })
    const bucket = await scene.bucket(analysis)
    await scene.codeFile(bucket, { path: 'main.py', root: true })
    const [one, two] = [await scene.member(), await scene.member('approved', 'aggregator')]
    for (const { id } of [one, two]) {
      await set('nodes', id, { registry_id: registryId })
    }
    return {
      worker: await scene.assign(analysis, one),
      aggregator: await scene.assign(analysis, two),
    }
  }

  /** Overwrites the stored code with other bytes. */
  async function swapBytes(text: string): Promise<void> {
    const { rows } = await database().query<{ id: string }>(
      'select bucket_file_id as id from analysis_bucket_files where analysis_id = $1',
      [analysis.id]
    )
    const { rows: files } = await storagePool().query({ ...FILE_BY_ID, values: [rows[0]!.id] })
    const { layout, bucketId, hash } = files[0]
    const store = await objectStore()
    const address = objectAddress(layout, bucketId, hash)
    await store.delete(address)
    await store.put(address, Readable.from([Buffer.from(text)]))
  }

  group.each.setup(async () => {
    scene = await Scene.set()
    analysis = await scene.analysis()
  })

  test('an unknown command is refused with the known ones', async ({ assert }) => {
    const answer = await command('explode')
    assert.equal(answer.status, 400)
    assert.equal(answer.body.code, 'bad_request')
    assert.include(answer.body.issues[0].meta.choices, 'buildStart')
  })

  test('commands need the permission to change the analysis, in its realm', async ({ assert }) => {
    assert.equal((await command('storageCheck', scene.researcher(['analysis_create']))).status, 403)
    assert.equal((await command('storageCheck', scene.stranger())).status, 403)
    const missing = await command(
      'storageCheck',
      scene.researcher(),
      'f6f0d7a0-0000-4000-8000-000000000000'
    )
    assert.equal(missing.status, 404)
    assert.equal((await command('storageCheck')).status, 202)
  })

  test('configurationLock reports all unmet guards at once', async ({ assert }) => {
    await set('analyses', analysis.id, { master_image_id: null })
    const answer = await command('configurationLock')
    assert.equal(answer.status, 400)
    assert.equal(answer.body.code, 'ANALYSIS_ERROR')
    assert.deepEqual(codes(answer), [
      'default_node_required',
      'aggregator_node_required',
      'entrypoint_required',
      'image_required',
    ])
    assert.equal(answer.body.message, answer.body.issues[0].message)
    assert.isTrue(answer.body.issues.every(({ path }: any) => path.length === 0))
  })

  test('commands lead from the configuration to the build', async ({ assert }) => {
    const { worker } = await complete()
    assert.deepEqual(codes(await command('buildStart')), [
      'configuration_unlocked',
      'nodes_approval_required',
    ])
    const locked = await command('configurationLock')
    assert.equal(locked.status, 202)
    assert.isTrue(locked.body.data.configurationLocked)
    assert.deepEqual(locked.body.meta, {})
    assert.deepEqual(codes(await command('configurationLock')), ['configuration_locked'])
    assert.deepEqual(codes(await command('buildStart')), ['nodes_approval_required'])
    assert.deepEqual(codes(await command('buildCheck')), ['build_not_initialized'])
    await decide(worker, 'approved')
    const started = await command('buildStart')
    assert.equal(started.status, 202)
    assert.equal(started.body.data.buildStatus, 'starting')
    assert.isNull(started.body.data.buildProgress)
    assert.deepEqual(codes(await command('buildStart')), ['build_not_startable'])
    assert.deepEqual(codes(await command('configurationUnlock')), ['not_unlockable'])
    assert.equal((await command('buildCheck')).body.data.buildStatus, 'starting')
    assert.deepEqual(
      (await sent()).map(({ queue }) => queue),
      ['analysisBuilderCommands', 'analysisBuilderCommands']
    )
  })

  test('buildStart is refused while a node has not agreed to the project', async ({ assert }) => {
    const { worker } = await complete()
    await command('configurationLock')
    await decide(worker, 'approved')
    await database().query(
      `update project_nodes set approval_status = 'rejected' where project_id = $1`,
      [scene.project.id]
    )
    assert.deepEqual(codes(await command('buildStart')), ['project_approval_required'])
  })

  test('buildStart detects that other content was approved and withdraws the approvals', async ({
    assert,
  }) => {
    const { worker } = await complete()
    await command('configurationLock')
    await decide(worker, 'approved')
    await database().query(
      `update analysis_bucket_files set path = 'x.py' where analysis_id = $1`,
      [analysis.id]
    )
    assert.deepEqual(codes(await command('buildStart')), ['nodes_approval_required'])
    assert.equal((await now()).nodesApproved, 1)
  })

  test('code that was changed in the object store is found out before it is built', async ({
    assert,
  }) => {
    const { worker } = await complete()
    await command('configurationLock')
    await decide(worker, 'approved')
    await swapBytes('evil')
    assert.deepEqual(codes(await command('buildStart')), ['nodes_approval_required'])
    assert.equal((await now()).nodesApproved, 1)
    await decide(worker, 'approved')
    assert.deepEqual(codes(await command('buildStart')), ['nodes_approval_required'])
    await swapBytes('content')
    await decide(worker, 'approved')
    assert.equal((await command('buildStart')).status, 202)
    await set('analyses', analysis.id, { build_status: 'executed' })
    await swapBytes('evil')
    assert.deepEqual(codes(await command('distributionStart')), ['nodes_approval_required'])
  })

  test('distributionStart needs a build, a registry, and one at each node', async ({ assert }) => {
    const { worker } = await complete()
    await command('configurationLock')
    await decide(worker, 'approved')
    assert.deepEqual(codes(await command('distributionStart')), ['build_not_finished'])
    assert.deepEqual(codes(await command('distributionCheck')), [
      'build_not_initialized',
      'build_not_finished',
      'distribution_not_initialized',
    ])
    await set('analyses', analysis.id, { build_status: 'executed' })
    await set('nodes', worker.nodeId, { registry_id: null })
    const refused = await command('distributionStart')
    assert.deepEqual(codes(refused), ['node_registry_unassigned'])
    assert.deepEqual(refused.body.issues[0].meta.nodes, [worker.nodeId])
    const { id: registryId } = await scene.registry()
    await set('nodes', worker.nodeId, { registry_id: registryId })
    const started = await command('distributionStart')
    assert.equal(started.status, 202)
    assert.equal(started.body.data.distributionStatus, 'starting')
    assert.isNotNull(started.body.data.registryId)
    assert.deepEqual(codes(await command('distributionStart')), ['distribution_not_startable'])
    assert.equal((await command('distributionCheck')).status, 202)
  })

  test('configurationUnlock resets what was approved, built, distributed and run', async ({
    assert,
  }) => {
    const { worker, aggregator } = await complete()
    await command('configurationLock')
    await decide(worker, 'approved')
    const former = { build_status: 'failed', build_progress: 40, build_hash: 'sha256:1' }
    await set('analyses', analysis.id, { ...former, distribution_status: 'executed' })
    await set('analysis_nodes', worker.id, { execution_status: 'executed', execution_progress: 9 })
    const { status, body } = await command('configurationUnlock')
    assert.equal(status, 202)
    assert.containSubset(body.data, {
      configurationLocked: false,
      buildStatus: null,
      buildProgress: null,
      buildHash: null,
      distributionStatus: null,
      executionStatus: null,
      executionProgress: 0,
      nodesApproved: 1,
    })
    const { rows } = await database().query<{ id: string; status: string | null }>(
      'select id, approval_status as status from analysis_nodes where analysis_id = $1',
      [analysis.id]
    )
    const statusOf = (id: unknown) => rows.find((row) => row.id === id)!.status
    assert.isNull(statusOf(worker.id))
    assert.equal(statusOf(aggregator.id), 'approved')
    assert.deepEqual(codes(await command('configurationUnlock')), ['configuration_unlocked'])
  })

  test('storageCheck requests each bucket once', async ({ assert }) => {
    const requestedTypes = async () => {
      const { rows } = await database().query(
        'select type from analysis_bucket_requests where analysis_id = $1 order by type',
        [analysis.id]
      )
      return rows.map(({ type }) => type)
    }
    assert.deepEqual(await requestedTypes(), ['CODE', 'RESULT', 'TEMP'])
    await command('storageCheck')
    assert.lengthOf(await requestedTypes(), 3)
    await database().query(
      `update analysis_bucket_requests set requested_at = now() - interval '2 minutes'
       where analysis_id = $1 and type = 'CODE'`,
      [analysis.id]
    )
    await command('storageCheck')
    assert.deepEqual(await requestedTypes(), ['CODE', 'CODE', 'RESULT', 'TEMP'])
  })
})
