import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { test } from '@japa/runner'

import { eventually } from '#tests/helpers/eventually'
import { NodeScene } from '#tests/helpers/node/node_scene'

const WITHIN_MS = 60_000

test.group('A node at a hub that it cannot trust', (group) => {
  group.each.timeout(120_000)

  for (const analysisId of ['../../victim', '..', 'a\nb', '']) {
    test(`the node does nothing for an analysis with the id ${JSON.stringify(analysisId)}`, async ({
      assert,
      cleanup,
    }) => {
      const scene = await NodeScene.set(cleanup)
      const victim = join(scene.settings.folder, '..', 'victim')
      await mkdir(victim)
      await writeFile(join(victim, 'file'), 'of the hospital')
      scene.hub.assign([scene.node, scene.partner], { analysisId })
      const other = await scene.distribute()
      await scene.start()
      await eventually(() => scene.containers.running.has(other.analysisId), WITHIN_MS)

      assert.deepEqual([...scene.containers.running.keys()], [other.analysisId])
      assert.deepEqual(await readdir(victim), ['file'])
      assert.deepEqual(await readdir(join(scene.settings.folder, 'runs')), [
        `${other.analysisId}.json`,
      ])
    })
  }

  test('the node does not start an image with a valid signature and other content than approved', async ({
    assert,
    cleanup,
  }) => {
    const scene = await NodeScene.set(cleanup)
    const assignment = await scene.distribute()
    scene.hub.contentDigest = 'sha256:other'
    await scene.start()

    await eventually(() => assignment.executionStatus === 'failed', WITHIN_MS)
    assert.equal(scene.containers.running.size, 0)
    const messages = scene.hub.logs.map(({ message }) => message)
    assert.include(messages, 'The image does not contain the approved content')
    assert.notInclude(messages, 'Starts the container')
  })

  test('the node starts an analysis of which another node has published an invalid key', async ({
    assert,
    cleanup,
  }) => {
    const scene = await NodeScene.set(cleanup)
    Object.assign(scene.partner, { publicKey: 'ff' })
    const assignment = await scene.distribute()
    await scene.start()
    await eventually(() => scene.containers.running.has(assignment.analysisId), WITHIN_MS)
    assert.isEmpty(scene.lines.filter((line) => line.includes('key')))
  })
})
