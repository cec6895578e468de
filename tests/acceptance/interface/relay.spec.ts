import { randomUUID } from 'node:crypto'

import { test } from '@japa/runner'
import { io } from 'socket.io-client'

import { eventually } from '#tests/helpers/eventually'
import { emitWithAck as request, refusal } from '#tests/helpers/realtime/sockets'

import { address, useInstallation } from './installation.js'
import { accessToken, CANNOT_INVITE, canInvite, invite } from './login.js'
import { sendRequest, bearerOf, relay, self, sentToSelf, stream } from './messenger.js'

test.group('Interface: the socket relay', (group) => {
  useInstallation(group)

  test('Endpoints / Messenger service 2: a socket sends directly, knows who is there, and is notified of messages that wait', async ({
    assert,
    cleanup,
  }) => {
    const recipient = await self()
    const [from, there] = [
      await relay(await accessToken(), cleanup),
      await relay(await accessToken(), cleanup),
    ]
    const content = { data: 'cipher', metadata: { messageId: randomUUID() } }
    assert.isNull(await request(from.socket, 'send', { to: [recipient], ...content }))
    await eventually(() => there.events.length > 0)
    assert.containsSubset(there.events, [['send', { from: recipient, ...content }]])

    const counted = new Promise((resolve) =>
      from.socket.emit(`${recipient.type}Connections`, recipient.id, (...answer: unknown[]) =>
        resolve(answer)
      )
    )
    const [failure, count] = (await counted) as [unknown, number]
    assert.isNull(failure)
    assert.isAtLeast(count, 2)

    await sentToSelf({ data: 'kept' }, cleanup)
    const wakeup = ['messagePending', { recipient }]
    for (const { events } of [from, there]) {
      await eventually(() => events.some(([name]) => name === wakeup[0]))
      assert.deepInclude(events, wakeup)
    }
  })

  test('Authentication 3: a socket needs a token, whose owner is the sender', async ({
    assert,
    cleanup,
  }) => {
    const { origin, pathname } = new URL(address('messenger', '/socket.io'))
    for (const token of [undefined, 'nonsense', '']) {
      const error = await refusal(io(origin, { path: pathname, auth: { token }, forceNew: true }))
      assert.equal(error.data?.code, 'identity_unauthorized')
    }
    for (const [method, path] of [
      ['GET', '/messages'],
      ['POST', '/messages'],
    ] as const) {
      assert.equal((await sendRequest(method, path, { token: 'nonsense' })).status, 401)
    }
    const recipient = await self()
    const { events } = await relay(await accessToken(), cleanup)
    const sender = canInvite() ? await invite([]) : await accessToken()
    const { socket } = await relay(sender, cleanup)
    const from = { type: 'robot', id: randomUUID() }
    assert.isNull(await request(socket, 'send', { to: [recipient], from, data: 1 }))
    await eventually(() => events.length > 0)
    assert.containsSubset(events, [['send', { from: bearerOf(sender), data: 1 }]])
  })

  test('Events / Messenger wakeup 1: everybody who is connected receives whose mailbox it is, and nothing else', async ({
    assert,
    cleanup,
  }) => {
    const recipient = await self()
    const streams = [await stream(), await stream()]
    cleanup(async () => void (await Promise.all(streams.map((one) => one.leave()))))
    const sockets = [await relay(await accessToken(), cleanup)]
    await Promise.all(streams.map((one) => one.until(1)))
    await sentToSelf({ data: 'secret', metadata: { secret: true } }, cleanup)
    await Promise.all(streams.map((one) => one.until(2)))
    streams.forEach((one) => assert.deepEqual(one.wakeups().at(-1), { recipient }))
    await eventually(() => sockets.every(({ events }) => events.length > 0))
    sockets.forEach(({ events }) => assert.deepEqual(events[0], ['messagePending', { recipient }]))
  })

  test('Events / Messenger wakeup 2: one message reaches a stream, a socket and a pull that wait for it', async ({
    assert,
    cleanup,
  }) => {
    const token = await invite(['node_create'])
    const recipient = bearerOf(token)
    const opened = await stream(token)
    cleanup(() => opened.leave())
    const { events } = await relay(token, cleanup)
    const waiting = sendRequest('GET', '/messages?wait=20000', { token })
    await opened.until(1)
    const { body } = await sendRequest('POST', '/messages', { body: { recipients: [recipient] } })
    assert.containsSubset(await waiting, {
      status: 200,
      body: { messages: [{ id: body.data[0] }] },
    })
    await opened.until(2)
    await eventually(() => events.length > 0)
    assert.deepEqual(events[0], ['messagePending', { recipient }])
    await sendRequest('POST', '/messages/ack', { token, body: { ids: body.data } })
  }).skip(() => !canInvite(), CANNOT_INVITE)
})
