import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { ClientActivity } from '#http/client_activity'
import { overrideClock } from '#kernel/clock'
import { at } from '#tests/helpers/application'
import { eventually } from '#tests/helpers/eventually'
import { identity, testAuthenticator } from '#tests/helpers/identities'
import { connected, emitWithAck, socketSite } from '#tests/helpers/realtime/sockets'

import { opened, parked, pull, somebody } from '#tests/functional/messenger/messenger_scene'

const MINUTE_MS = 60_000

const activity = () => app.container.make(ClientActivity)

/** Resolves once a client is seen, or when it is not any more. */
async function untilSeen(id: string, isExpected = true): Promise<void> {
  const seen = await activity()
  await eventually(() => seen.takeSeen().has(id) === isExpected)
}

test.group('The activity of clients', () => {
  test('the activity of a client is seen in calls of every surface', async ({ assert }) => {
    const seen = await activity()
    for (const [surface, path] of [
      ['core', '/nodes'],
      ['storage', '/buckets'],
      ['telemetry', '/events'],
      ['messenger', '/messages'],
    ] as const) {
      const { actor, headers } = identity({ kind: 'client' })
      const response = await fetch(at(surface, path), { headers })
      await response.arrayBuffer()
      await untilSeen(actor.id)
      assert.isFalse(seen.takeSeen().has(actor.id), 'A call that has ended counts once')
    }
  })

  test('the activity of a client is not that of users, nor of anybody without a token', async ({
    assert,
  }) => {
    const [user, client] = [somebody('user'), somebody()]
    await pull(user)
    await (await fetch(at('core', '/nodes'))).arrayBuffer()
    await pull(client)
    const seen = await activity()
    const all = new Set<string>()
    await eventually(() => {
      seen.takeSeen().forEach((_, id) => all.add(id))
      return all.has(client.actor.id)
    })
    assert.isFalse(all.has(user.actor.id))
  })

  test('the activity of a client lasts a minute with a stream or a pull that waits: who hangs keeps them open, too', async ({
    assert,
    cleanup,
  }) => {
    const [streaming, waiting] = [somebody(), somebody()]
    const stream = await opened(streaming)
    const pulling = await parked(waiting)
    for (let round = 0; round < 3; round++) {
      await untilSeen(streaming.actor.id)
      await untilSeen(waiting.actor.id)
    }
    cleanup(overrideClock({ now: () => Date.now() + MINUTE_MS }))
    const seen = (await activity()).takeSeen()
    assert.isFalse(seen.has(streaming.actor.id) || seen.has(waiting.actor.id))
    await pull(waiting)
    await untilSeen(waiting.actor.id)
    await stream.disconnect()
    await pulling.leave()
    await untilSeen(waiting.actor.id, false)
  })

  test('the activity of a client is each packet of a socket, not that it is open', async ({
    assert,
    cleanup,
  }) => {
    const seen = await activity()
    const site = await socketSite({ authenticator: testAuthenticator, activity: seen })
    cleanup(() => site.close())
    const { actor, token } = identity({ kind: 'client' })
    const socket = await connected(site.connect('/', token))
    await untilSeen(actor.id)
    assert.isFalse(seen.takeSeen().has(actor.id), 'Nothing was received since')
    await emitWithAck(socket, 'nodeSubscribe').catch(() => {})
    await untilSeen(actor.id)
  })
})
