import { setImmediate as nextTurn } from 'node:timers/promises'

import { test } from '@japa/runner'

import { clock } from '#kernel/clock'
import { EndSignal } from '#kernel/end_signal'
import { Unauthorized } from '#kernel/failures'
import { messengerPool } from '#messenger/database'
import { waitForMessages } from '#messenger/delivery/wait_for_messages'
import { WAKEUP_CHANNEL } from '#messenger/delivery/wakeup_payload'
import { Wakeups } from '#messenger/delivery/wakeups'
import { keyOf, type Party } from '#messenger/mailboxes/party'
import { storeMessages } from '#messenger/messages/store_messages'
import { MemorySignals } from '#signals/memory_signals'
import { boot } from '#tests/helpers/application'
import { newMessage, UNLIMITED } from '#tests/helpers/messenger/stored_messages'
import { eventually } from '#tests/helpers/eventually'

const aParty = (): Party => ({ type: 'robot', id: clock.uuid() })

const open = (signals: MemorySignals) =>
  Wakeups.open({
    signals,
    report: (error) => {
      throw error
    },
  })

/** Stores a message without a wakeup. */
const store = async (...recipients: Party[]) => {
  const [arrivals] = await storeMessages(messengerPool(), [newMessage(recipients)], UNLIMITED)
  return arrivals!
}

function counted(wakeups: Wakeups, party: Party) {
  const listener = {
    count: 0,
    receive: () => void (listener.count += 1),
    stop: () => wakeups.unsubscribe(keyOf(party), listener),
  }
  wakeups.subscribe(keyOf(party), listener)
  return listener
}

test.group('Wakeups of mailboxes', (group) => {
  let signals: MemorySignals
  let here: Wakeups
  let there: Wakeups

  group.setup(async () => void (await boot()))
  group.each.setup(async () => {
    signals = new MemorySignals()
    here = await open(signals)
    there = await open(signals)
    return async () => {
      await Promise.all([here.close(), there.close()])
      await signals.close()
    }
  })

  test('wakeups reach whoever waits for a mailbox, here and in other processes, once', async ({
    assert,
  }) => {
    const [party, other] = [aParty(), aParty()]
    const listeners = [counted(here, party), counted(there, party), counted(there, other)]
    here.notify(await store(party, party))
    here.notify(await store(other))
    await eventually(() => listeners[1]!.count > 0 && listeners[2]!.count > 0)
    assert.deepEqual(
      listeners.map(({ count }) => count),
      [1, 1, 1]
    )
    listeners[1]!.stop()
    here.notify(await store(party))
    await eventually(() => listeners[0]!.count > 1)
    assert.equal(listeners[1]!.count, 1)
  })

  test('wakeups of other programs are understood, and malformed ones are ignored', async ({
    assert,
  }) => {
    const party = aParty()
    const listener = counted(here, party)
    const payloads = [
      'no JSON',
      'null',
      '{"recipient":null}',
      '{"recipient":{"type":"node","id":"x"}}',
      JSON.stringify({ recipient: { ...party, type: 'user' } }),
      JSON.stringify({ recipient: { ...party, id: party.id.toUpperCase() } }),
      JSON.stringify({ recipient: party }),
    ]
    await signals.publish(payloads.map((payload) => ({ channel: WAKEUP_CHANNEL, payload })))
    await eventually(() => listener.count > 0)
    assert.equal(listener.count, 2)
  })

  test('wakeups come from the periodic check when signals are unavailable', async ({ assert }) => {
    const away = new MemorySignals()
    await away.close()
    const alone = await open(away)
    const [party, empty] = [aParty(), aParty()]
    const listeners = [counted(alone, party), counted(alone, empty)]
    await store(party)
    await eventually(() => listeners[0]!.count > 0)
    await store(party)
    await eventually(() => listeners[0]!.count > 1)
    assert.equal(listeners[1]!.count, 0)
    alone.notify(await store(party))
    assert.equal(listeners[0]!.count, 3)
    await alone.close()
  }).timeout(15_000)

  test('wakeups leave nothing behind', async ({ assert }) => {
    const parties = Array.from({ length: 1_000 }, aParty)
    const listeners = parties.flatMap((party) => [counted(here, party), counted(here, party)])
    assert.equal(here.size, 1_000)
    listeners.forEach(({ stop }) => stop())
    listeners.forEach(({ stop }) => stop())
    assert.equal(here.size, 0)
  })
})

test.group('Waiting for an arrival', (group) => {
  let wakeups: Wakeups

  group.setup(async () => {
    await boot()
    wakeups = await open(new MemorySignals())
    return () => wakeups.close()
  })

  const staying = async () => new EndSignal()

  /** Returns the next item with each read, after running a step. */
  function reads(recipient: Party, found: readonly (readonly string[])[], during = () => {}) {
    let count = 0
    const read = async () => {
      during()
      await null
      return found[count++] ?? []
    }
    return { look: read, count: () => count, recipient }
  }

  const arrive = (recipient: Party, arrivals: number) =>
    wakeups.notify([{ key: keyOf(recipient), arrivals }])

  test('includes what arrives during the first read', async ({ assert }) => {
    const recipient = aParty()
    let items = 0
    const { look: read } = reads(recipient, [[], ['x']], () => {
      if (items++ === 0) {
        arrive(recipient, 1)
      }
    })
    const found = await waitForMessages({
      wakeups,
      recipient,
      read: read,
      waitMs: 20_000,
      ending: staying,
    })
    assert.deepEqual(found, ['x'])
    assert.equal(wakeups.size, 0)
  })

  test('the wait continues where another one has fetched the message already', async ({
    assert,
  }) => {
    const recipient = aParty()
    const { look: read, count } = reads(recipient, [[], [], ['x']])
    const waiting = waitForMessages({
      wakeups,
      recipient,
      read: read,
      waitMs: 20_000,
      ending: staying,
    })
    for (const arrivals of [1, 2]) {
      await eventually(() => count() === arrivals)
      await nextTurn()
      arrive(recipient, arrivals)
    }
    assert.deepEqual(await waiting, ['x'])
  })

  test('the wait refuses whoever lost the right to it meanwhile', async ({ assert }) => {
    const recipient = aParty()
    const { look: read, count } = reads(recipient, [[], ['x']])
    const ending = new EndSignal()
    const waiting = waitForMessages({
      wakeups,
      recipient,
      read: read,
      waitMs: 20_000,
      ending: async () => ending,
    })
    await eventually(() => count() === 1)
    ending.end(new Unauthorized('The access token has ended'))
    await assert.rejects(() => waiting, 'The access token has ended')
    assert.equal(count(), 1)
    assert.equal(wakeups.size, 0)
  })

  test('the wait ends at once for a client that disconnected before it starts', async ({
    assert,
  }) => {
    const recipient = aParty()
    const { look: read } = reads(recipient, [[], ['x']])
    const ended = new EndSignal()
    ended.end()
    assert.deepEqual(
      await waitForMessages({
        wakeups,
        recipient,
        read: read,
        waitMs: 20_000,
        ending: async () => ended,
      }),
      []
    )
  })
})
