import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'

import { test } from '@japa/runner'

import { identityPool } from '#identity/embedded/database'
import { subscribeToAccessChanges, accessChangesDelivered } from '#identity/embedded/access_changes'
import { eventually } from '#tests/helpers/eventually'

const PEER = fileURLToPath(
  new URL(`./access_change_peer${extname(import.meta.url)}`, import.meta.url)
)

test.group('Delivery of access changes to another process', (group) => {
  let peer: ChildProcess
  let messages: unknown[]

  group.each.setup(async () => {
    const stop = await subscribeToAccessChanges(() => {})
    peer = fork(PEER)
    messages = []
    peer.on('message', (message) => messages.push(message))
    await eventually(() => messages.includes('listening'))
    return async () => {
      const exit = once(peer, 'exit')
      if (peer.kill('SIGKILL')) {
        await exit
      }
      await stop()
    }
  })

  const notify = (id: string) =>
    identityPool().query(`select pg_notify('identity_access', $1)`, [id])

  let pings: number

  group.each.setup(async () => {
    pings = 0
    const witness = await identityPool().connect()
    witness.on('notification', ({ payload }) => {
      pings += payload!.startsWith('call ') ? 1 : 0
    })
    await witness.query('listen identity_access')
    return () => witness.release(true)
  })

  /** Sends a change while the other process is paused. */
  const notifyPausedPeer = async () => {
    peer.kill('SIGSTOP')
    await notify('an-id')
    let isReceived = false
    const received = accessChangesDelivered().then(() => (isReceived = true))
    await eventually(() => pings >= 2 || isReceived)
    return { isReceived: () => isReceived, received }
  }

  test('a change is awaited until the other process has received the change', async ({
    assert,
  }) => {
    const { isReceived, received } = await notifyPausedPeer()
    assert.isFalse(isReceived())
    peer.kill('SIGCONT')
    await received
    await eventually(() => messages.includes('an-id'))
  })

  test('a change is not awaited after the process ended', async ({ assert }) => {
    const { isReceived, received } = await notifyPausedPeer()
    assert.isFalse(isReceived())
    const before = pings
    peer.kill('SIGKILL')
    await received
    assert.isAtMost(pings - before, 2)
  })

  test('a change is awaited within a time limit', async ({ assert }) => {
    const { received } = await notifyPausedPeer()
    await received
    assert.notInclude(messages, 'an-id')
  })
})
