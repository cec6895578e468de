import { test } from '@japa/runner'

import { masterImageGroup } from '#core/master_image_groups/master_image_group'
import type { Message } from '#bus/message'
import type { Attributes } from '#records/row'
import { clock } from '#kernel/clock'
import { env } from '#start/env'
import { withLockedRow } from '#tests/helpers/locked_row'
import { identity } from '#tests/helpers/identities'
import { sampleRecord } from '#tests/helpers/sample_records'

import { call, database, Scene } from './analysis_scene.js'

/** A manager of images. */
const manager = () => identity({ permissions: ['master_image_manage'] })

async function commandsTo(queue: string): Promise<Message[]> {
  const { rows } = await database().query<{ command: Message }>(
    `select content->'command' as command from outbox where queue = $1 order by position`,
    [queue]
  )
  return rows.map(({ command }) => command)
}

test.group('Master images', (group) => {
  let scene: Scene
  let image: Attributes

  const command = (body: object, by = manager()) => call(by, 'POST', '/master-images/command', body)

  group.each.setup(async () => {
    scene = await Scene.set()
    image = await scene.image()
  })

  test('an image without arguments has an empty list of them, also when it is included', async ({
    assert,
  }) => {
    const { rows } = await database().query<{ id: string }>(
      `insert into master_images (id, name, virtual_path, group_virtual_path)
       values ($1, 'bare', 'bare', 'bare') returning id`,
      [clock.uuid()]
    )
    const { id } = rows[0]!
    const { data } = (await call(scene.researcher(), 'GET', `/master-images/${id}`)).body
    assert.deepEqual(data.commandArguments, [])
    const analysis = await scene.analysis({ masterImageId: id })
    const path = `/analyses/${analysis.id}?include=masterImage`
    const { masterImage } = (await call(scene.researcher(), 'GET', path)).body.data
    assert.deepEqual(masterImage.commandArguments, [])
  })

  test('a build is requested, and visible as starting', async ({ assert }) => {
    const { status, body } = await command({ command: 'build', id: image.id })
    assert.equal(status, 202)
    assert.equal(body.meta.warnings[0].code, 'worker_missing')
    assert.containsSubset(body.data, { id: image.id, buildStatus: 'starting', buildProgress: 1 })
    const sent = (await commandsTo('masterImageBuilderTasks')).at(-1)!
    assert.equal(sent.type, 'execute')
    assert.deepEqual(sent.data, { id: image.id })
  })

  test('a synchronization is requested, with the repository to read', async ({ assert }) => {
    const { status, body } = await command({ command: 'sync' })
    assert.equal(status, 202)
    assert.isNull(body.data)
    assert.deepEqual(
      body.meta.warnings.map(({ code }: Attributes) => code),
      ['worker_missing']
    )
    const sent = (await commandsTo('masterImageSynchronizerTasks')).at(-1)!
    assert.equal(sent.type, 'execute')
    assert.deepEqual(sent.data, {
      owner: env.MASTER_IMAGES_OWNER,
      repository: env.MASTER_IMAGES_REPOSITORY,
      branch: env.MASTER_IMAGES_BRANCH,
    })
  })

  test('an invalid command is rejected', async ({ assert }) => {
    for (const body of [
      {},
      { command: 'bogus' },
      { command: 1 },
      { command: 'build' },
      { command: 'build', id: '' },
      { command: 'build', id: null },
      { command: 'build', id: 1 },
    ]) {
      const answer = await command(body)
      assert.equal(answer.status, 400, JSON.stringify(body))
      assert.equal(answer.body.code, 'bad_request')
    }
    for (const id of [clock.uuid(), 'nothing']) {
      assert.equal((await command({ command: 'build', id })).status, 404)
    }
  })

  test('images are managed with their permission in the master realm only', async ({ assert }) => {
    const { id } = await sampleRecord('core', masterImageGroup)
    const groupPath = `/master-image-groups/${id}`
    const imagePath = `/master-images/${image.id}?force=true`
    const permissions = ['master_image_manage', 'master_image_group_manage']
    for (const by of [
      scene.researcher(permissions),
      identity({ permissions: ['analysis_update'] }),
    ]) {
      for (const { status } of [
        await command({ command: 'build', id: image.id }, by),
        await command({ command: 'sync' }, by),
        await call(by, 'DELETE', imagePath),
        await call(by, 'DELETE', groupPath),
      ]) {
        assert.equal(status, 403)
      }
    }
    assert.equal((await call(manager(), 'DELETE', groupPath)).status, 403)
    assert.equal((await call(manager(), 'DELETE', imagePath)).status, 202)
    const keeper = identity({ permissions: ['master_image_group_manage'] })
    assert.equal((await call(keeper, 'DELETE', groupPath)).status, 202)
  })

  test('an image that an analysis of any realm uses is deleted only with force', async ({
    assert,
  }) => {
    const analysis = await scene.analysis({ masterImageId: image.id })
    const path = `/master-images/${image.id}`
    for (const query of ['', '?force', '?force=false', '?force[]=true']) {
      const { status, body } = await call(manager(), 'DELETE', path + query)
      assert.equal(status, 409, query)
      assert.containsSubset(body, {
        code: 'entity_conflict',
        issues: [{ code: 'in_use', meta: { analyses: 1 } }],
      })
    }
    assert.equal((await scene.read(analysis)).masterImageId, image.id)
    assert.equal((await call(manager(), 'DELETE', `${path}?force=true`)).status, 202)
    assert.isNull((await scene.read(analysis)).masterImageId)
  })

  test('images cannot be created or updated', async ({ assert }) => {
    for (const path of ['/master-images', '/master-image-groups', '/analysis-node-events']) {
      assert.equal((await call(scene.admin(), 'POST', path, {})).status, 404)
      assert.equal((await call(scene.admin(), 'POST', `${path}/${image.id}`, {})).status, 404)
    }
  })

  test('images are deleted during a second write of an analysis', async ({ assert }) => {
    const analysis = await scene.analysis({ masterImageId: image.id })
    const writing = 'update analyses set updated_at = now() where id = $1'
    const other = { locks: writing, then: writing, id: analysis.id }
    const deleting = () => call(manager(), 'DELETE', `/master-images/${image.id}?force=true`)
    assert.propertyVal(await withLockedRow(database(), other, deleting), 'status', 202)
    assert.isNull((await scene.read(analysis)).masterImageId)
  })

  test('L12: an analysis whose image is deleted has none, and its event shows that', async ({
    assert,
  }) => {
    const analysis = await scene.analysis({
      masterImageId: image.id,
      imageCommandArguments: [{ value: '--fast' }],
    })
    assert.isTrue(analysis.configurationImageValid)
    await call(manager(), 'DELETE', `/master-images/${image.id}?force=true`)
    assert.containsSubset(await scene.read(analysis), {
      masterImageId: null,
      imageCommandArguments: null,
      configurationImageValid: false,
    })
  })
})
