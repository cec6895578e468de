import { randomUUID } from 'node:crypto'

import { test } from '@japa/runner'

import { useInstallation } from './installation.js'
import { CANNOT_INVITE, canInvite, invite } from './login.js'
import {
  sendRequest,
  bearerOf,
  messageWith,
  pulled,
  self,
  sentToSelf,
  stream,
} from './messenger.js'
import type { Answer } from './records.js'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

const acknowledge = (ids: readonly string[], token?: string) =>
  sendRequest('POST', '/messages/ack', { body: { ids }, token })

test.group('Interface: messages', (group) => {
  /** Pulls of an identity that nobody exchanges messages with: for an hour, and for thirty seconds. */
  let waits: Promise<{ milliseconds: number; answer: Answer }[]> | undefined

  useInstallation(group)
  group.setup(async () => {
    if (canInvite()) {
      const token = await invite(['node_delete'])
      waits = Promise.all([3_600_000, 30_000].map((wait) => waitedFor(wait, token)))
    }
  })

  test('What the service does row 4: a message is there until it is acknowledged', async ({
    assert,
    cleanup,
  }) => {
    const id = await sentToSelf({ data: 'x' }, cleanup)
    assert.isDefined(await messageWith(id))
    assert.isDefined(await messageWith(id))
    await acknowledge([id])
    assert.isUndefined(await messageWith(id))
  })

  test('Resources / Message row 1: the id is a uuid', async ({ assert, cleanup }) => {
    const id = await sentToSelf({}, cleanup)
    assert.match(id, UUID)
  })

  test('Resources / Message row 2: the sender is the caller, whatever the body says', async ({
    assert,
    cleanup,
  }) => {
    const { type, id } = await self()
    const other = randomUUID()
    const traits = { senderType: 'robot', senderId: other, sender: { type: 'robot', id: other } }
    const message = await messageWith(await sentToSelf(traits, cleanup))
    assert.containsSubset(message, { senderType: type, senderId: id })
    if (canInvite()) {
      const token = await invite([])
      const guest = bearerOf(token)
      const recipients = [{ type, id }]
      const { body } = await sendRequest('POST', '/messages', { token, body: { recipients } })
      const theirs = await messageWith(body.data[0])
      assert.containsSubset(theirs, { senderType: guest.type, senderId: guest.id })
      await acknowledge(body.data)
    }
  })

  test('Resources / Message row 3: each recipient has a copy, whatever kind it is of', async ({
    assert,
  }) => {
    const own = await self()
    const others = ['user', 'robot', 'client'].map((type) => ({ type, id: randomUUID() }))
    const { body } = await sendRequest('POST', '/messages', {
      body: { recipients: [...others, own] },
    })
    const ids: string[] = body.data
    assert.lengthOf(new Set(ids), 4)
    const found = (await pulled()).filter((message) => ids.includes(message.id))
    assert.lengthOf(found, 1)
    assert.containsSubset(found[0], { recipientType: own.type, recipientId: own.id, id: ids[3] })
    await acknowledge(ids)
    const strange = { recipients: [{ type: 'node', id: own.id }] }
    assert.equal((await sendRequest('POST', '/messages', { body: strange })).status, 400)
  })

  test('Resources / Message row 4: data comes back as it was sent', async ({ assert, cleanup }) => {
    for (const data of ['q83vEjRW==', '123', '{"a":1}', { a: [1, null, 'b'] }, 7, null, false]) {
      const message = await messageWith(await sentToSelf({ data }, cleanup))
      assert.deepEqual(message.data, data)
    }
  })

  test('Resources / Message row 5: metadata is an object that may name the analysis', async ({
    assert,
    cleanup,
  }) => {
    const metadata = { analysisId: randomUUID(), messageId: randomUUID() }
    const message = await messageWith(await sentToSelf({ metadata }, cleanup))
    assert.deepEqual(message.metadata, metadata)
  })

  test('Resources / Message row 6: the oldest is pulled first', async ({ assert, cleanup }) => {
    const sent: string[] = []
    for (let n = 0; n < 5; n++) {
      sent.push(await sentToSelf({ data: n }, cleanup))
    }
    const messages = await pulled()
    const found = messages.map(({ id }) => id).filter((id) => sent.includes(id))
    assert.deepEqual(found, sent)
    const times = messages.map(({ createdAt }) => Date.parse(createdAt))
    assert.deepEqual(times, times.toSorted())
  })

  test('Resources / Message row 7: expiresAt is a number, a day after the creation', async ({
    assert,
    cleanup,
  }) => {
    const { createdAt, expiresAt } = await messageWith(await sentToSelf({}, cleanup))
    assert.equal(expiresAt, Date.parse(createdAt) + 86_400_000)
  })

  test('Endpoints / Messenger service row 1: a sent message is answered with its ids', async ({
    assert,
  }) => {
    const own = await self()
    const sent = await sendRequest('POST', '/messages', {
      body: { recipients: [own, own], data: 'x' },
    })
    assert.equal(sent.status, 202)
    const ids: string[] = sent.body.data
    assert.lengthOf(ids, 2)
    const found = (await pulled()).map(({ id }) => id)
    assert.includeMembers(found, ids)
    await acknowledge(ids)
    for (const recipients of [undefined, []]) {
      assert.equal((await sendRequest('POST', '/messages', { body: { recipients } })).status, 400)
    }
  })

  test('Endpoints / Messenger service row 2: a pull waits until there is something', async ({
    assert,
    cleanup,
  }) => {
    if (canInvite()) {
      const token = await invite([])
      const recipient = bearerOf(token)
      const empty = await sendRequest('GET', '/messages?wait=10', { token })
      assert.deepEqual(empty.body, { messages: [] })
      const waiting = sendRequest('GET', '/messages?limit=1&wait=20000', { token })
      const { body } = await sendRequest('POST', '/messages', { body: { recipients: [recipient] } })
      const found = await waiting
      assert.equal(found.status, 200)
      assert.containsSubset(found.body, { messages: [{ id: body.data[0] }] })
      await acknowledge(body.data, token)
    }
    await sentToSelf({}, cleanup)
    await sentToSelf({}, cleanup)
    assert.lengthOf((await sendRequest('GET', '/messages?limit=1')).body.messages, 1)
  })

  test('Endpoints / Messenger service row 3: an acknowledgement has no answer but its status', async ({
    assert,
    cleanup,
  }) => {
    const id = await sentToSelf({}, cleanup)
    const done = await acknowledge([id, randomUUID(), 'unknown'])
    assert.equal(done.status, 202)
    assert.isUndefined(done.body)
    assert.isUndefined(await messageWith(id))
  })

  test('Endpoints / Messenger service row 4: the stream notifies at once and of each message', async ({
    assert,
    cleanup,
  }) => {
    const opened = await stream()
    cleanup(() => opened.leave())
    assert.match(opened.response.headers.get('content-type')!, /^text\/event-stream/)
    await opened.until(1)
    await sentToSelf({ data: 'not told' }, cleanup)
    await opened.until(2)
    const recipient = await self()
    opened.wakeups().forEach((wakeup) => assert.deepEqual(wakeup, { recipient }))
  })

  test('Endpoints / Messenger service 1: no path of messages names an analysis', async ({
    assert,
  }) => {
    for (const path of ['/analyses', `/analyses/${randomUUID()}/messages`]) {
      assert.equal((await sendRequest('GET', path)).status, 404)
    }
  })

  test('Endpoints / Messenger service 3: messages that came without a listener are pulled', async ({
    assert,
    cleanup,
  }) => {
    const first = await stream()
    await first.until(1)
    await first.leave()
    const id = await sentToSelf({ data: 'missed' }, cleanup)
    const second = await stream()
    cleanup(() => second.leave())
    await second.until(1)
    assert.containsSubset(await messageWith(id), { data: 'missed' })
  })

  test('Limits row 2: a pull waits for thirty seconds, however long it asks for', async ({
    assert,
  }) => {
    const [longest, thirty] = await waits!
    assert.deepEqual(longest!.answer.body, { messages: [] })
    assert.isAtLeast(longest!.milliseconds, 29_900)
    assert.closeTo(longest!.milliseconds, thirty!.milliseconds, 5_000)
  }).skip(() => !canInvite(), CANNOT_INVITE)
})

async function waitedFor(wait: number, token: string) {
  const startedAt = performance.now()
  const answer = await sendRequest('GET', `/messages?wait=${wait}`, { token })
  return { milliseconds: performance.now() - startedAt, answer }
}
