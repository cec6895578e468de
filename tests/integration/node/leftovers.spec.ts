import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { test } from '@japa/runner'

import { clock } from '#kernel/clock'
import { eventually } from '#tests/helpers/eventually'
import { NodeScene } from '#tests/helpers/node/node_scene'

const WITHIN_MS = 60_000

test.group('What a node keeps of its analyses', (group) => {
  group.each.timeout(120_000)

  const keptOf = async (scene: NodeScene, analysisId: string) => {
    const names = await Promise.all(
      ['runs', 'output', 'incoming'].map((name) =>
        readdir(join(scene.settings.folder, name)).catch(() => [])
      )
    )
    return names.flat().filter((name) => name.includes(analysisId))
  }

  test('the data goes when the node is not assigned to the analysis any more', async ({
    assert,
    cleanup,
  }) => {
    const scene = await NodeScene.set(cleanup)
    const gone = await scene.distribute()
    const kept = await scene.distribute()
    const first = await scene.start()
    await eventually(() => scene.containers.running.size === 2, WITHIN_MS)
    await first.stop()
    assert.lengthOf(await keptOf(scene, gone.analysisId), 2)
    scene.hub.assignments.splice(0, 2)
    await scene.start()

    await eventually(async () => (await keptOf(scene, gone.analysisId)).length === 0, WITHIN_MS)
    assert.lengthOf(await keptOf(scene, kept.analysisId), 2)
  })

  test('the latest hundred outputs of analyses are stored', async ({ assert, cleanup }) => {
    const scene = await NodeScene.set(cleanup)
    const output = join(scene.settings.folder, 'output')
    await mkdir(output, { recursive: true })
    const assigned = Array.from({ length: 101 }, (_, n) => {
      const [assignment] = scene.hub.assign([scene.node], { executionStatus: 'executed' })
      return { name: `${assignment!.analysisId}.log`, time: new Date(n * 1000) }
    })
    for (const { name, time } of assigned) {
      await writeFile(join(output, name), 'printed')
      await utimes(join(output, name), time, time)
    }
    await scene.start()

    await eventually(async () => (await readdir(output)).length === 100, WITHIN_MS)
    assert.notInclude(await readdir(output), assigned[0]!.name)
  })

  test('the data stays while the hub cannot say whether the node is assigned', async ({
    assert,
    cleanup,
  }) => {
    const scene = await NodeScene.set(cleanup)
    const { analysisId } = await scene.distribute()
    const first = await scene.start()
    await eventually(() => scene.containers.running.size === 1, WITHIN_MS)
    await first.stop()
    let requests = 0
    scene.hub.assignments.splice(0, 2)
    scene.hub.fault = ({ query }, response) => {
      if (query.get('filter[analysisId]') !== analysisId) {
        return false
      }
      requests += 1
      return response.writeHead(503).end()
    }
    await scene.start()
    await eventually(() => requests > 0, WITHIN_MS)

    assert.lengthOf(await keptOf(scene, analysisId), 2)
    scene.hub.fault = () => false
  })

  test('files on their way and sockets of a former process are removed at the start', async ({
    assert,
    cleanup,
  }) => {
    const scene = await NodeScene.set(cleanup)
    const { folder } = scene.settings
    const transfers = join(folder, 'transfers')
    await mkdir(join(transfers, clock.uuid()), { recursive: true })
    await mkdir(join(folder, 'incoming', 'x'), { recursive: true })
    await writeFile(join(folder, 'incoming', 'x', '1.json.draft'), 'half')
    await scene.start()

    assert.isEmpty(await readdir(transfers).catch(() => []))
    assert.isEmpty(await readdir(join(folder, 'incoming', 'x')).catch(() => []))
  })
})
