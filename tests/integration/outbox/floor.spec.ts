import { test } from '@japa/runner'

import { Floor } from '#outbox/floor'
import { OutboxStore } from '#outbox/store'
import { OutboxScene, until } from './outbox_scene.js'

const SAMPLES = 4
/** Other databases of the same server have transactions as well, and the floor waits for their ends. */
const REACHED_WITHIN_MS = 60_000

/** A floor, and a store that reads it, as a relay has them. */
async function openFloor(scene: OutboxScene) {
  const client = await scene.pool.connect()
  const store = new OutboxStore(client)
  const floor = new Floor()
  const horizon = () => store.horizon(floor.position)
  const sample = async () => {
    floor.sample(await horizon(), 0)
    return floor.position
  }
  return {
    horizon,
    release: () => client.release(),
    async positions(samples: number) {
      const positions = new Set<number>()
      for (let count = 0; count < samples; count++) {
        positions.add(await sample())
      }
      return [...positions]
    },
    reaches: (position: number) =>
      until(
        `the floor is at ${position}`,
        async () => (await sample()) === position,
        REACHED_WITHIN_MS
      ),
  }
}

test.group('Floor of the outbox', () => {
  test('the floor stays below an entry that is not visible yet, even if no later transaction has ended', async ({
    assert,
    cleanup,
  }) => {
    const scene = await OutboxScene.open()
    cleanup(() => scene.close())
    const opened = await openFloor(scene)
    cleanup(opened.release)
    const late = await scene.pool.connect()
    cleanup(() => late.release())
    await late.query('begin')
    await scene.changes(1, 1, late)
    assert.deepEqual(await opened.positions(SAMPLES), [0])

    await late.query('commit')
    await opened.reaches(1)
  })

  test('the floor takes no transaction ids when it has reached the last entry', async ({
    assert,
    cleanup,
  }) => {
    const scene = await OutboxScene.open()
    cleanup(() => scene.close())
    const opened = await openFloor(scene)
    cleanup(opened.release)
    await scene.changes(3)
    assert.exists((await opened.horizon()).next)
    await opened.reaches(3)
    assert.notExists((await opened.horizon()).next)
  })
})
