import { test } from '@japa/runner'

import { guardToken } from '#auth/verification/token_guard'
import { Alarms } from '#kernel/alarms'
import { drain } from '#kernel/drain'
import { WakeupStreams } from '#messenger/delivery/wakeup_streams'
import { metrics } from '#observability/metrics'
import { setting } from '#tests/chaos/setting'
import { at, boot } from '#tests/helpers/application'
import { eventually } from '#tests/helpers/eventually'
import { testAuthenticator } from '#tests/helpers/identities'
import { openLasting, openMany } from '#tests/helpers/messenger/lasting_wire'
import { pendingTimers } from '#tests/helpers/messenger/pending_timers'
import { somebody, waiting } from './messenger_scene.js'

const CONNECTIONS = setting('VANISHING', 400)
/** Both ends of each connection are open in this process. */
const AT_ONCE = 1_000
/** Pools of database connections may have timers of their own. */
const TIMERS_OF_OTHERS = 20

const PATHS = ['/messages?wait=30000', '/messages/stream']
const TRUST_MS = 60_000

/** A provider that accepts every token and counts the listeners of its end. */
function standingTokens() {
  const streams = new Set<unknown>()
  const verdict = () => {
    const until = Date.now() + TRUST_MS
    const actor = { ...somebody().actor, expiresAt: 2 * until }
    return { actor, until, about: [], asOf: 0 }
  }
  const judge: Parameters<typeof guardToken>[0] = {
    trustMs: TRUST_MS,
    alarms: new Alarms(),
    verdictFor: verdict,
    renew: async () => verdict(),
    renewExpired: async () => verdict(),
    observeToken() {},
    addListener: (follower) => void streams.add(follower),
    removeListener: (follower) => void streams.delete(follower),
  }
  testAuthenticator.guardConnection = (token, connection) => guardToken(judge, token, connection)
  return { followers: streams, stop: () => void delete testAuthenticator.guardConnection }
}

/** The waiting requests of this process, according to its metrics. */
async function shown(): Promise<number> {
  const all = (await metrics.getMetricsAsJSON()).find(({ name }) => name === 'mailbox_waiting')
  return all!.values.reduce((sum, { value }) => sum + value, 0)
}

test('Connections that wait and vanish leave no waiter, timer or listener behind', async ({
  assert,
  cleanup,
}) => {
  const app = await boot()
  const streams = await app.container.make(WakeupStreams)
  const tokens = standingTokens()
  cleanup(tokens.stop)
  const listeners = async () => ({
    shown: await shown(),
    mailboxes: await waiting(),
    streams: streams.size,
    followers: tokens.followers.size,
    draining: drain.size,
  })
  const before = await listeners()
  const timers = pendingTimers()
  cleanup(timers.stop)

  for (let remaining = CONNECTIONS; remaining > 0; remaining -= AT_ONCE) {
    const count = Math.min(remaining, AT_ONCE)
    const wires = await openMany(count, async (index) => {
      const { headers } = somebody()
      const url = new URL(at('messenger', PATHS[index % 2]!))
      const lines = Object.entries({ host: url.host, ...headers }).map(
        ([name, value]) => `${name}: ${value}\r\n`
      )
      const request = `GET ${url.pathname}${url.search} HTTP/1.1\r\n${lines.join('')}\r\n`
      const wire = await openLasting(url.origin, request)
      // Some disconnect before their arrival is noticed.
      if (index % 10 > 7) {
        wire.socket.destroy()
      }
      return wire
    })
    const lasting = Math.floor((count * 8) / 10)
    await eventually(async () => (await shown()) - before.shown >= lasting, 30_000)
    // Each parked request has a timer; the other timers are shared.
    assert.isAtLeast(timers.size, lasting / 2)
    assert.isAtLeast((await listeners()).followers, lasting)
    wires.forEach(({ socket }) => socket.destroy())
    await eventually(async () => {
      const now = await listeners()
      return Object.entries(before).every(
        ([what, there]) => now[what as keyof typeof now] === there
      )
    }, 30_000)
    await eventually(() => timers.size < TIMERS_OF_OTHERS, 30_000)
  }
}).timeout(60_000 + CONNECTIONS * 20)
