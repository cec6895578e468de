import { test } from '@japa/runner'

import { Floor } from '#outbox/floor'
import { OutboxStore } from '#outbox/store'
import { OutboxScene } from './outbox_scene.js'

const SAMPLES = 4

/** A floor, and a store that reads it, as a relay has them. */
async function openFloor(scene: OutboxScene) {
  const client = await scene.pool.connect()
  const store = new OutboxStore(client)
  const floor = new Floor()
  return {
    floor,
    release: () => client.release(),
    async sample() {
      for (let count = 0; count < SAMPLES; count++) {
        floor.sample(await this.horizon(), 0)
      }
    },
    horizon: () => store.horizon(floor.position),
  }
}

test.group('Floor of the outbox', () => {
  test('stays below an entry that is not visible yet, even if no later transaction has ended', async ({
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
    await opened.sample()
    assert.equal(opened.floor.position, 0)

    await late.query('commit')
    await opened.sample()
    assert.equal(opened.floor.position, 1)
  })

  test('takes no transaction ids when it has reached the last entry', async ({
    assert,
    cleanup,
  }) => {
    const scene = await OutboxScene.open()
    cleanup(() => scene.close())
    const opened = await openFloor(scene)
    cleanup(opened.release)
    await scene.changes(3)
    assert.exists((await opened.horizon()).next)
    await opened.sample()
    assert.equal(opened.floor.position, 3)
    assert.notExists((await opened.horizon()).next)
  })
})
