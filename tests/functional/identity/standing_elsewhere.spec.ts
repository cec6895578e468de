import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { extname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

import { test } from '@japa/runner'

import { identityPool } from '#identity/embedded/database'
import { subscribeToAccessChanges, accessChangesDelivered } from '#identity/embedded/access_changes'
import { eventually } from '#tests/helpers/eventually'

const PEER = fileURLToPath(new URL(`./standing_peer${extname(import.meta.url)}`, import.meta.url))
const HELD_MS = 600

test.group('Standing that another process hears of', (group) => {
  let peer: ChildProcess
  let heard: unknown[]

  group.each.setup(async () => {
    const stop = await subscribeToAccessChanges(() => {})
    peer = fork(PEER)
    heard = []
    peer.on('message', (message) => heard.push(message))
    await eventually(() => heard.includes('listening'))
    return async () => {
      const exit = once(peer, 'exit')
      if (peer.kill('SIGKILL')) {
        await exit
      }
      await stop()
    }
  })

  const tell = (whose: string) =>
    identityPool().query(`select pg_notify('identity_standing', $1)`, [whose])

  /** What is told while the other process does not get to hear anything. */
  const toldToHeld = async () => {
    peer.kill('SIGSTOP')
    await tell('somebody')
    let isReceived = false
    const received = accessChangesDelivered().then(() => (isReceived = true))
    await delay(HELD_MS)
    return { isReceived: () => isReceived, received }
  }

  test('is waited for until it was heard there', async ({ assert }) => {
    const { isReceived, received } = await toldToHeld()
    assert.isFalse(isReceived())
    peer.kill('SIGCONT')
    await received
    await eventually(() => heard.includes('somebody'))
  })

  test('is not waited for once the process is gone', async ({ assert }) => {
    const { isReceived, received } = await toldToHeld()
    assert.isFalse(isReceived())
    const killedAt = performance.now()
    peer.kill('SIGKILL')
    await received
    assert.isBelow(performance.now() - killedAt, 1_000)
  })

  test('is not waited for without end', async ({ assert }) => {
    const { received } = await toldToHeld()
    await received
    assert.notInclude(heard, 'somebody')
  })
})
