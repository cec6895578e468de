import { test } from '@japa/runner'

import { awaitReload, Reloads } from '#runtime/pool/reloads'

/** Reloads that a test ends one by one, with their result. */
function reloadsOf() {
  const running: PromiseWithResolvers<boolean>[] = []
  const reloads = new Reloads(() => {
    running.push(Promise.withResolvers<boolean>())
    return running.at(-1)!.promise
  })
  reloads.start()
  return { reloads, running }
}

test.group('The reloads of a pool', () => {
  test('deal with all requests during one by one more', async ({ assert }) => {
    const { reloads, running } = reloadsOf()
    const first = reloads.request()
    await Promise.resolve()
    const later = [reloads.request(), reloads.request()]
    assert.deepEqual(reloads.state, { started: true, requested: 3, completed: 0, failed: false })
    running[0]!.resolve(false)
    await first
    assert.deepEqual(reloads.state, { started: true, requested: 3, completed: 1, failed: true })
    running[1]!.resolve(true)
    await Promise.all(later)
    assert.deepEqual(reloads.state, { started: true, requested: 3, completed: 3, failed: false })
    assert.lengthOf(running, 2)
  })

  test('reloads are awaited by who requests one, not by the end of an earlier one', async ({
    assert,
  }) => {
    const { reloads, running } = reloadsOf()
    void reloads.request()
    await Promise.resolve()
    const awaited = awaitReload(
      async () => reloads.state,
      () => void reloads.request()
    )
    running[0]!.resolve(true)
    while (running.length < 2) {
      await Promise.resolve()
    }
    running[1]!.resolve(false)
    assert.isFalse(await awaited)
  })

  test('reloads are requested once the pool has started', async ({ assert }) => {
    const reloads = new Reloads(async () => true)
    const replaced = await awaitReload(
      async () => {
        const { state } = reloads
        reloads.start()
        return state
      },
      () => {
        assert.isTrue(reloads.state.started)
        void reloads.request()
      }
    )
    assert.isTrue(replaced)
  })
})
