import { setImmediate as nextTurn } from 'node:timers/promises'
import { test } from '@japa/runner'

import { SignalsUnavailable, type ReportError, type Signals } from '#signals/signals'
import { eventually } from '#tests/helpers/eventually'

/** A driver, and a second process if it supports several. */
export interface SignalsSubject {
  /** Opens the signals of another process. */
  connect(report: ReportError): Promise<Signals>
  stop(): Promise<void>
}

/** The tests that every driver of signals passes. */
export function signalsSuite(driver: string, open: () => Promise<SignalsSubject>): void {
  test.group(`Signals | ${driver}`, (group) => {
    let subject: SignalsSubject
    let here: Signals
    let there: Signals
    let reported: string[]

    group.setup(async () => {
      subject = await open()
      return () => subject.stop()
    })

    group.each.setup(async () => {
      reported = []
      const report: ReportError = (_error, what) => reported.push(what)
      here = await subject.connect(report)
      there = await subject.connect(report)
      return async () => void (await Promise.all([here.close(), there.close()]))
    })

    test('messages reach all subscribers of their channel in order', async ({ assert }) => {
      const received: Record<'first' | 'second' | 'other', string[]> = {
        first: [],
        second: [],
        other: [],
      }
      await there.subscribe('resources/node', (payload) => received.first.push(payload))
      await there.subscribe('resources/node', (payload) => received.second.push(payload))
      await there.subscribe('resources/node/1', (payload) => received.other.push(payload))
      const payloads = Array.from({ length: 500 }, (_, n) => `${n} ${'ü€😀'.repeat(n % 50)}`)
      await here.publish(payloads.map((payload) => ({ channel: 'resources/node', payload })))
      await eventually(() => received.first.length >= 500 && received.second.length >= 500)
      assert.deepEqual(received.first, payloads)
      assert.deepEqual(received.second, payloads)
      assert.isEmpty(received.other)
    })

    test('a message reaches its own process, if that is subscribed', async ({ assert }) => {
      const received: string[] = []
      await here.subscribe('echo', (payload) => received.push(payload))
      await here.publish([{ channel: 'echo', payload: 'x' }])
      await eventually(() => received.length > 0)
      assert.deepEqual(received, ['x'])
    })

    test('publishing nothing succeeds', async () => {
      await here.publish([])
    })

    test('an unsubscribed listener receives nothing, the others still do', async ({ assert }) => {
      const received: string[] = []
      const receive = (payload: string) => received.push(payload)
      const stop = await there.subscribe('channel', receive)
      await there.subscribe('channel', receive)
      await here.publish([{ channel: 'channel', payload: 'both' }])
      await eventually(() => received.length >= 2)
      await stop()
      await stop()
      await here.publish([{ channel: 'channel', payload: 'one' }])
      await eventually(() => received.length >= 3)
      assert.deepEqual(received, ['both', 'both', 'one'])
    })

    test('a channel can be subscribed again', async ({ assert }) => {
      const received: string[] = []
      const leave = await there.subscribe('again', () => received.push('before'))
      await leave()
      await here.publish([{ channel: 'again', payload: '' }])
      await there.subscribe('again', () => received.push('after'))
      await here.publish([{ channel: 'again', payload: '' }])
      await eventually(() => received.length > 0)
      assert.deepEqual(received, ['after'])
    })

    test('a notification reaches the listeners of its topic', async ({ assert }) => {
      const woken: string[] = []
      await here.onNotification('outbox', () => woken.push('here'))
      await there.onNotification('outbox', () => woken.push('there'))
      await there.onNotification('else', () => woken.push('else'))
      here.notify('outbox')
      here.notify('nobody waits for this')
      await eventually(() => woken.length >= 2)
      assert.sameMembers(woken, ['here', 'there'])
    })

    test('notifications are coalesced, and the last one is never lost', async ({ assert }) => {
      let changes = 0
      let seen = 0
      let wakes = 0
      await there.onNotification('outbox', () => {
        wakes += 1
        seen = changes
      })
      for (let round = 0; round < 20; round++) {
        for (let n = 0; n < 500; n++) {
          changes += 1
          here.notify('outbox')
        }
        await eventually(() => seen === changes)
      }
      await eventually(() => seen === changes)
      assert.equal(seen, 10_000)
      assert.isBelow(wakes, 200)
    })

    test('notifications are not messages: a channel of the same name receives nothing', async ({
      assert,
    }) => {
      const received: string[] = []
      await there.subscribe('outbox', () => received.push('message'))
      await there.onNotification('outbox', () => received.push('wake'))
      here.notify('outbox')
      await eventually(() => received.length > 0)
      await here.publish([{ channel: 'outbox', payload: '' }])
      await eventually(() => received.length > 1)
      assert.deepEqual(received, ['wake', 'message'])
    })

    test('a failing listener is reported and does not affect others', async ({ assert }) => {
      const received: string[] = []
      await there.subscribe('channel', () => {
        throw new Error('broken')
      })
      await there.subscribe('channel', (payload) => received.push(payload))
      await here.publish(['1', '2'].map((payload) => ({ channel: 'channel', payload })))
      await eventually(() => received.length >= 2)
      assert.deepEqual(received, ['1', '2'])
      assert.deepEqual(reported, Array(2).fill('a listener of channel failed'))
    })

    test('after closing nothing is published or received', async ({ assert }) => {
      assert.isTrue(here.isReady)
      const received: string[] = []
      await here.onNotification('outbox', () => received.push('wake'))
      await here.subscribe('channel', (payload) => received.push(payload))
      await here.close()
      assert.isFalse(here.isReady)
      here.notify('outbox')
      await assert.rejects(
        () => here.publish([{ channel: 'channel', payload: 'x' }]),
        SignalsUnavailable as unknown as typeof Error
      )
      // In memory, both are closed together.
      if (there.isReady) {
        const others: string[] = []
        await there.subscribe('channel', (payload) => others.push(payload))
        await there.onNotification('outbox', () => others.push('wake'))
        there.notify('outbox')
        await there.publish([{ channel: 'channel', payload: 'x' }])
        await eventually(() => others.length === 2)
      }
      await nextTurn()
      assert.isEmpty(received)
    })
  })
}
