import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { Bus } from '#bus/bus'
import { serviceOrigin } from '#auth/service_origin'
import { newMessage } from '#bus/message'
import { EVENT_KEYS, eventRouting } from '#bus/names'
import { masterImage } from '#core/master_images/master_image'
import { MasterImageService } from '#core/master_images/master_image_service'
import { masterImageGroup } from '#core/master_image_groups/master_image_group'
import type { Attributes } from '#records/row'
import { inTransaction } from '#records/transaction'
import { eventually } from '#tests/helpers/eventually'
import { withLockedRow } from '#tests/helpers/locked_row'
import { sampleRecord } from '#tests/helpers/sample_records'
import { identity } from '#tests/helpers/identities'

import { call, database, Scene, set } from './analysis_scene.js'
import { startCommands } from './registry_scene.js'

const RUN = 'run-of-the-test'
const manager = () => identity({ permissions: ['master_image_manage'] })

test.group('Reports of workers about images', (group) => {
  let scene: Scene

  group.setup(startCommands)
  group.each.setup(async () => {
    await database().query('delete from master_images')
    await database().query('delete from master_image_groups')
    await database().query('delete from master_image_runs')
    await database().query('insert into master_image_runs values ($1, $2)', ['catalogue', RUN])
    scene = await Scene.set()
  })

  async function publishReport(
    key: string,
    type: string,
    data: object,
    metadata: Record<string, unknown> = { run: RUN }
  ): Promise<void> {
    const bus = await app.container.make(Bus)
    await bus.publish(newMessage(eventRouting(key), type, { ...data }, metadata), type)
  }
  const ofBuild = (type: string, data: object) =>
    publishReport(EVENT_KEYS.masterImageBuilder, type, data)
  const read = async ({ id }: Attributes) =>
    (await call(scene.researcher(), 'GET', `/master-images/${id}`)).body.data
  const images = async (): Promise<any[]> =>
    (await call(scene.researcher(), 'GET', '/master-images')).body.data

  test('reports of a build are applied, and late ones are ignored', async ({ assert }) => {
    const image = await sampleRecord('core', masterImage)
    const { id } = image
    await set('master_images', id, { build_status: 'starting', build_progress: null })
    await ofBuild('executionStarted', { id })
    await ofBuild('executionProgress', { id, progress: { percent: 30 } })
    await ofBuild('executionProgress', { id, progress: { percent: 20 } })
    await eventually(async () => (await read(image)).buildProgress === 30)
    assert.equal((await read(image)).buildStatus, 'started')
    await ofBuild('executionFinished', { id, hash: 'sha256:1', size: 4_096 })
    await ofBuild('executionStarted', { id })
    await ofBuild('executionFailed', { id, error: {} })
    await eventually(async () => (await read(image)).buildStatus === 'executed')
    assert.containSubset(await read(image), {
      buildProgress: 100,
      buildHash: 'sha256:1',
      buildSize: 4_096,
    })
  })

  test('a report that does not name the run of its command changes nothing', async ({ assert }) => {
    const image = await sampleRecord('core', masterImage, { virtualPath: 'python/base' })
    await set('master_images', image.id, { build_status: null, build_hash: null })
    const build = await call(manager(), 'POST', '/master-images/command', {
      command: 'build',
      id: image.id,
    })
    assert.equal(build.status, 202)
    const { rows } = await database().query<{ run: string }>(
      'select run from master_image_runs where subject = $1',
      [image.id]
    )
    const finished = { id: image.id, hash: 'sha256:forged', size: 1 }
    const listed = { name: 'evil', path: 'evil', virtualPath: 'evil/base' }
    for (const metadata of [{}, { run: 'another' }]) {
      await publishReport(EVENT_KEYS.masterImageBuilder, 'executionFinished', finished, metadata)
      const catalogue = { images: [listed], groups: [] }
      await publishReport(
        EVENT_KEYS.masterImageSynchronizer,
        'executionFinished',
        catalogue,
        metadata
      )
    }
    assert.equal((await read(image)).buildStatus, 'starting')
    const paths = (await images()).map(({ virtualPath }) => virtualPath)
    assert.include(paths, 'python/base')
    assert.notInclude(paths, 'evil/base')
    await publishReport(
      EVENT_KEYS.masterImageBuilder,
      'executionFinished',
      { ...finished, hash: 'sha256:built' },
      rows[0]
    )
    assert.equal((await read(image)).buildHash, 'sha256:built')
  })

  test('an imported image that needs no build can be used once it is listed', async ({
    assert,
  }) => {
    const known = await sampleRecord('core', masterImage, { virtualPath: 'python/base' })
    await set('master_images', known.id, { build_status: null, build_hash: null })
    const listed = (virtualPath: string, more: object = {}) => ({
      name: virtualPath,
      path: virtualPath,
      virtualPath,
      command: 'python3',
      ...more,
    })
    const built = { hash: `sha256:${'1'.repeat(64)}`, size: 4_096 }
    await publishReport(EVENT_KEYS.masterImageSynchronizer, 'executionFinished', {
      groups: [],
      images: [listed('python/base', built), listed('python/new', built), listed('r/unbuilt')],
    })
    const found = await eventually(async () => {
      const all = await images()
      return all.some(({ virtualPath }) => virtualPath === 'r/unbuilt') && all
    })
    const stateOf = (path: string) => {
      const image = found.find(({ virtualPath }) => virtualPath === path)
      return [image.buildStatus, image.buildHash, image.buildSize]
    }
    for (const path of ['python/base', 'python/new']) {
      assert.deepEqual(stateOf(path), ['executed', built.hash, built.size])
    }
    assert.deepEqual(stateOf('r/unbuilt'), [null, null, null])
  })

  test('images and groups are replaced by those of the repository', async ({ assert }) => {
    const remaining = await sampleRecord('core', masterImage, { virtualPath: 'python/base' })
    const removed = await sampleRecord('core', masterImage, { virtualPath: 'python/old' })
    const former = await sampleRecord('core', masterImageGroup, { virtualPath: 'r' })
    const analysis = await scene.analysis({ masterImageId: remaining.id })
    const orphan = await scene.analysis({ masterImageId: removed.id })
    const assigned = await scene.assigned(analysis)
    const approving = { approvalStatus: 'approved' }
    await call(scene.steward(), 'POST', `/analysis-nodes/${assigned.id}`, approving)
    await publishReport(EVENT_KEYS.masterImageSynchronizer, 'executionFinished', {
      groups: [{ name: 'Python', path: 'data/python', virtualPath: 'python' }],
      images: [
        {
          name: 'base',
          path: 'data/python/base',
          virtualPath: 'python/base',
          command: 'python3',
          commandArguments: [{ value: '-u', position: 'before' }],
        },
        { name: 'new', path: 'data/python/new', virtualPath: 'python/new', command: 'node' },
      ],
    })
    const listed = await eventually(async () => {
      const found = await images()
      return found.some(({ virtualPath }) => virtualPath === 'python/new') && found
    })
    assert.sameMembers(
      listed.map(({ virtualPath, groupVirtualPath }) => `${groupVirtualPath} ${virtualPath}`),
      ['python python/base', 'python python/new']
    )
    const base = await read(remaining)
    assert.equal(base.command, 'python3')
    assert.deepEqual(base.commandArguments, [{ value: '-u', position: 'before' }])
    const groups = await call(scene.researcher(), 'GET', '/master-image-groups')
    assert.deepEqual(
      groups.body.data.map(({ virtualPath }: Attributes) => virtualPath),
      ['python']
    )
    assert.notEqual(groups.body.data[0].id, former.id)
    assert.isNull((await scene.read(orphan)).masterImageId)
    assert.equal((await scene.read(analysis)).nodesApproved, 0)
  })

  test('a concurrent second write of an analysis does not block the synchronization', async ({
    assert,
  }) => {
    const { id: masterImageId, ...image } = await sampleRecord('core', masterImage)
    const analysis = await scene.analysis({ masterImageId })
    const { name, path, virtualPath } = image as Record<string, string>
    const listed = { groups: [], images: [{ name: name!, path: path!, virtualPath: virtualPath! }] }
    const writing = 'update analyses set updated_at = now() where id = $1'
    const other = { locks: writing, then: writing, id: analysis.id }
    const service = await app.container.make(MasterImageService)
    const origin = await serviceOrigin()
    const takingOver = () =>
      inTransaction(database(), (transaction) =>
        service.replaceCatalogue(transaction, origin, listed)
      )
    assert.isUndefined(await withLockedRow(database(), other, takingOver))
  })

  test('a synchronization is atomic', async ({ assert }) => {
    const remaining = await sampleRecord('core', masterImage, { virtualPath: 'python/base' })
    const known = await sampleRecord('core', masterImageGroup, { virtualPath: 'python' })
    const before = await images()
    const place = (virtualPath: string) => ({ name: 'x', path: virtualPath, virtualPath })
    const service = await app.container.make(MasterImageService)
    const origin = await serviceOrigin()
    const takingOver = inTransaction(database(), (transaction) =>
      service.replaceCatalogue(transaction, origin, {
        groups: [place('r')],
        images: [{ ...place('python/base'), command: 'pypy' }, place('r/new'), place('r/\u0000')],
      })
    )

    await assert.rejects(() => takingOver)
    assert.deepEqual(await images(), before)
    assert.equal((await read(remaining)).command, remaining.command)
    const groups = await call(scene.researcher(), 'GET', '/master-image-groups')
    assert.deepEqual(
      groups.body.data.map(({ id }: Attributes) => id),
      [known.id]
    )
  })

  test('an image that is listed twice is stored once', async ({ assert }) => {
    const duplicate = { name: 'base', path: 'python/base', virtualPath: 'python/base' }
    await publishReport(EVENT_KEYS.masterImageSynchronizer, 'executionFinished', {
      groups: [],
      images: [duplicate, { ...duplicate, path: 'other/base' }],
    })
    const listed = await eventually(async () => {
      const found = await images()
      return found.length > 0 && found
    })

    assert.deepEqual(
      listed.map(({ path }) => path),
      ['other/base']
    )
  })

  test('an empty repository removes no images', async ({ assert }) => {
    await sampleRecord('core', masterImage)
    const before = await images()
    await publishReport(EVENT_KEYS.masterImageSynchronizer, 'executionFinished', {
      images: [],
      groups: [],
    })
    await publishReport(EVENT_KEYS.masterImageSynchronizer, 'executionStarted', {})
    assert.deepEqual(await images(), before)
  })
})
