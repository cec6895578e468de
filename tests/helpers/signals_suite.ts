import { setTimeout as delay } from 'node:timers/promises'

import { test } from '@japa/runner'

import { SignalsUnavailable, type ReportError, type Signals } from '#signals/signals'
import { eventually } from './eventually.js'

/** A driver with what it takes to tell two processes apart, where it reaches beyond one. */
export interface SignalsSubject {
  /** Opens the signals of one more process. */
  connect(report: ReportError): Promise<Signals>
  stop(): Promise<void>
}

/**
 * What every driver of signals has to pass.
 */
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

    test('messages reach everybody who hears their channel, in their order', async ({ assert }) => {
      const heard: Record<'first' | 'second' | 'other', string[]> = {
        first: [],
        second: [],
        other: [],
      }
      await there.subscribe('resources/node', (payload) => heard.first.push(payload))
      await there.subscribe('resources/node', (payload) => heard.second.push(payload))
      await there.subscribe('resources/node/1', (payload) => heard.other.push(payload))
      const payloads = Array.from({ length: 500 }, (_, n) => `${n} ${'ü€😀'.repeat(n % 50)}`)
      await here.publish(payloads.map((payload) => ({ channel: 'resources/node', payload })))
      await eventually(() => heard.first.length >= 500 && heard.second.length >= 500)
      assert.deepEqual(heard.first, payloads)
      assert.deepEqual(heard.second, payloads)
      assert.isEmpty(heard.other)
    })

    test('a message comes back to the process that sent it, if it listens', async ({ assert }) => {
      const heard: string[] = []
      await here.subscribe('echo', (payload) => heard.push(payload))
      await here.publish([{ channel: 'echo', payload: 'x' }])
      await eventually(() => heard.length > 0)
      assert.deepEqual(heard, ['x'])
    })

    test('sending nothing is no fault', async () => {
      await here.publish([])
    })

    test('a listener that stopped receives nothing, the others still do', async ({ assert }) => {
      const heard: string[] = []
      const hear = (payload: string) => heard.push(payload)
      const stop = await there.subscribe('channel', hear)
      await there.subscribe('channel', hear)
      await here.publish([{ channel: 'channel', payload: 'both' }])
      await eventually(() => heard.length >= 2)
      await stop()
      await stop()
      await here.publish([{ channel: 'channel', payload: 'one' }])
      await eventually(() => heard.length >= 3)
      assert.deepEqual(heard, ['both', 'both', 'one'])
    })

    test('a channel can be left and heard again', async ({ assert }) => {
      const heard: string[] = []
      const leave = await there.subscribe('again', () => heard.push('before'))
      await leave()
      await here.publish([{ channel: 'again', payload: '' }])
      await there.subscribe('again', () => heard.push('after'))
      await here.publish([{ channel: 'again', payload: '' }])
      await eventually(() => heard.length > 0)
      assert.deepEqual(heard, ['after'])
    })

    test('a wake reaches those that wait for its topic', async ({ assert }) => {
      const woken: string[] = []
      await here.onNotification('outbox', () => woken.push('here'))
      await there.onNotification('outbox', () => woken.push('there'))
      await there.onNotification('else', () => woken.push('else'))
      here.notify('outbox')
      here.notify('nobody waits for this')
      await eventually(() => woken.length >= 2)
      assert.sameMembers(woken, ['here', 'there'])
    })

    test('many wakes become few, and the last of them is never lost', async ({ assert }) => {
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
        await delay(1)
      }
      await eventually(() => seen === changes)
      assert.equal(seen, 10_000)
      assert.isBelow(wakes, 200)
    })

    test('wakes are not messages: a channel of the same name stays silent', async ({ assert }) => {
      const heard: string[] = []
      await there.subscribe('outbox', () => heard.push('message'))
      await there.onNotification('outbox', () => heard.push('wake'))
      here.notify('outbox')
      await eventually(() => heard.length > 0)
      await here.publish([{ channel: 'outbox', payload: '' }])
      await eventually(() => heard.length > 1)
      assert.deepEqual(heard, ['wake', 'message'])
    })

    test('a listener that fails is reported and keeps nobody else from hearing', async ({
      assert,
    }) => {
      const heard: string[] = []
      await there.subscribe('channel', () => {
        throw new Error('broken')
      })
      await there.subscribe('channel', (payload) => heard.push(payload))
      await here.publish(['1', '2'].map((payload) => ({ channel: 'channel', payload })))
      await eventually(() => heard.length >= 2)
      assert.deepEqual(heard, ['1', '2'])
      assert.deepEqual(reported, Array(2).fill('a listener of channel failed'))
    })

    test('after the end nothing is sent and nothing is heard', async ({ assert }) => {
      assert.isTrue(here.isReady)
      const heard: string[] = []
      await here.onNotification('outbox', () => heard.push('wake'))
      await here.subscribe('channel', (payload) => heard.push(payload))
      await here.close()
      assert.isFalse(here.isReady)
      here.notify('outbox')
      await assert.rejects(
        () => here.publish([{ channel: 'channel', payload: 'x' }]),
        SignalsUnavailable as unknown as typeof Error
      )
      await delay(20)
      assert.isEmpty(heard)
    })
  })
}
