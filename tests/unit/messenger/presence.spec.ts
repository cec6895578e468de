import { test } from '@japa/runner'

import { clock } from '#kernel/clock'
import { PRESENCE_CHANNEL, Presence } from '#messenger/relay/presence'
import type { Party } from '#messenger/mailboxes/party'
import { MemorySignals } from '#signals/memory_signals'
import type { SignalMessage, Signals } from '#signals/signals'
import { eventually } from '#tests/helpers/eventually'
import { withManualTimers } from '#tests/helpers/manual_timers'

const SIGN_OF_LIFE_MS = 2_000

const aParty = (): Party => ({ type: 'client', id: clock.uuid() })

/** The signals of one process, which a test can interrupt. */
class Carrier implements Signals {
  isAway = false
  readonly #signals: MemorySignals
  readonly isReady = true

  constructor(signals: MemorySignals) {
    this.#signals = signals
  }

  async publish(messages: readonly SignalMessage[]): Promise<void> {
    if (!this.isAway) {
      await this.#signals.publish(messages)
    }
  }

  subscribe(channel: string, listener: (payload: string) => void) {
    return this.#signals.subscribe(channel, (payload) => this.isAway || listener(payload))
  }

  notify() {}
  onNotification = async () => async () => {}
  close = async () => {}
}

/** Processes that share presence, with the changes each has seen. */
async function processes(count: number) {
  const signals = new MemorySignals()
  const open = async () => {
    const changes: [string, boolean][] = []
    const carrier = new Carrier(signals)
    const presence = await Presence.open(carrier, ({ id }, isConnected) => {
      changes.push([id, isConnected])
    })
    return { presence, told: changes, carrier }
  }
  const opened = []
  for (let n = 0; n < count; n++) {
    opened.push(await open())
  }
  return { signals, opened, open }
}

const settled = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)))

test.group('Presence', () => {
  test('presence is counted over all processes, and published when the first socket connects and the last one disconnects', async ({
    assert,
  }) => {
    const { opened } = await processes(3)
    const party = aParty()
    const removeSocket = opened.map(({ presence }) => presence.addSocket(party))
    await eventually(() => opened.every(({ presence }) => presence.countOf(party) === 3))
    removeSocket[0]!()
    removeSocket[1]!()
    await eventually(() => opened.every(({ presence }) => presence.countOf(party) === 1))
    opened.forEach(({ told: changes }) => assert.deepEqual(changes, [[party.id, true]]))
    removeSocket[2]!()
    await eventually(() => opened.every(({ presence }) => presence.countOf(party) === 0))
    for (const { told: changes, presence } of opened) {
      assert.deepEqual(changes, [
        [party.id, true],
        [party.id, false],
      ])
      await presence.close()
    }
  })

  test('presence is known to a process that comes later, and over with one that ends', async ({
    assert,
  }) => {
    const { opened, open } = await processes(1)
    const party = aParty()
    opened[0]!.presence.addSocket(party)
    const late = await open()
    await eventually(() => late.presence.countOf(party) === 1)
    await opened[0]!.presence.close()
    await eventually(() => late.presence.countOf(party) === 0)
    assert.deepEqual(late.told, [
      [party.id, true],
      [party.id, false],
    ])
    await late.presence.close()
  })

  test('presence of a process that is silent ends, and comes back with it, as it is by then', async ({
    assert,
  }) => {
    await withManualTimers(async (pass) => {
      const { opened } = await processes(2)
      const [here, there] = opened as [(typeof opened)[0], (typeof opened)[0]]
      const [stays, comes] = [aParty(), aParty()]
      there.presence.addSocket(stays)
      await settled()
      assert.equal(here.presence.countOf(stays), 1)
      there.carrier.isAway = true
      there.presence.addSocket(comes)
      for (let n = 0; n < 4; n++) {
        await pass(SIGN_OF_LIFE_MS)
        await settled()
      }
      assert.equal(here.presence.countOf(stays), 1)
      await pass(SIGN_OF_LIFE_MS)
      await settled()
      assert.equal(here.presence.countOf(stays), 0)
      there.carrier.isAway = false
      await pass(SIGN_OF_LIFE_MS)
      await settled()
      assert.equal(here.presence.countOf(stays), 1)
      assert.equal(here.presence.countOf(comes), 1)
    })
  })

  test('presence is what it was while nothing is carried', async ({ assert }) => {
    await withManualTimers(async (pass) => {
      const { opened } = await processes(2)
      const [here, there] = opened as [(typeof opened)[0], (typeof opened)[0]]
      const party = aParty()
      there.presence.addSocket(party)
      await settled()
      here.carrier.isAway = true
      there.carrier.isAway = true
      for (let n = 0; n < 20; n++) {
        await pass(SIGN_OF_LIFE_MS)
        await settled()
      }
      assert.equal(here.presence.countOf(party), 1)
    })
  })

  test('presence is not changed by invalid reports', async ({ assert }) => {
    const { opened, signals } = await processes(1)
    const [{ presence, told: changes }] = opened as [(typeof opened)[0]]
    const { id } = aParty()
    const report = { process: 'other', after: null, version: 1 }
    for (const payload of [
      '',
      'null',
      '[]',
      '{"ask":7}',
      JSON.stringify(report),
      JSON.stringify({ ...report, counts: [[`client:${id}`, -1]] }),
      JSON.stringify({ ...report, counts: [[`client:${id}`, '1']] }),
      JSON.stringify({ ...report, counts: [[`client:${id.toUpperCase()}:x`, 1]] }),
      JSON.stringify({ ...report, counts: [[`node:${id}`, 1]] }),
      JSON.stringify({ ...report, counts: [['__proto__', 1]] }),
      JSON.stringify({ ...report, counts: { length: 1 } }),
      JSON.stringify({ ...report, after: 'x', counts: [[`client:${id}`, 1]] }),
    ]) {
      await signals.publish([{ channel: PRESENCE_CHANNEL, payload }])
    }
    assert.isEmpty(changes)
    assert.equal(presence.countOf({ type: 'client', id }), 0)
    const payload = JSON.stringify({ ...report, counts: [[`client:${id}`, 2]] })
    await signals.publish([{ channel: PRESENCE_CHANNEL, payload }])
    assert.equal(presence.countOf({ type: 'client', id }), 2)
    await presence.close()
  })
})
