import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { RateLimiter } from '#http/rate_limiter'
import { clock } from '#kernel/clock'
import { messengerPool } from '#messenger/database'
import { Wakeups } from '#messenger/delivery/wakeups'
import { messengerSettings } from '#messenger/messenger_settings'
import { MessageService } from '#messenger/messages/message_service'
import { at } from '#tests/helpers/application'
import { useSettings } from '#tests/helpers/settings'
import {
  acknowledge,
  age,
  request,
  mailboxOf,
  pull,
  send,
  somebody,
  type Somebody,
} from './messenger_scene.js'

const NOBODY = { headers: {} }
const MEBIBYTE = 2 ** 20

const dataOf = (messages: any[]) => messages.map(({ data }) => data)
const idsOf = (messages: any[]) => messages.map(({ id }) => id)

test.group('Messages of a mailbox', () => {
  test('messages are there until their recipient acknowledges them', async ({ assert, client }) => {
    const [sender, recipient] = [somebody('user'), somebody()]
    const before = Date.now()
    const content = { data: 'q83vEjRW', metadata: { analysisId: clock.uuid() } }
    const sent = await request(sender, 'POST', '/messages', {
      body: { recipients: [recipient.party], sender: recipient.party, ...content },
    })
    assert.equal(sent.status, 202)
    assert.lengthOf(sent.body.data, 1)
    assert.deepEqual(Object.keys(sent.body), ['data'])
    assert.equal(sent.headers.get('x-dropped-keys'), 'body.sender')

    for (const time of ['first', 'second']) {
      const pulled = await client.get(at('messenger', '/messages')).headers(recipient.headers)
      pulled.assertStatus(200)
      const [message] = pulled.body().messages
      assert.deepEqual(
        pulled.body(),
        {
          messages: [
            {
              id: sent.body.data[0],
              senderType: 'user',
              senderId: sender.party.id,
              recipientType: 'client',
              recipientId: recipient.party.id,
              ...content,
              createdAt: message.createdAt,
              expiresAt: Date.parse(message.createdAt) + 24 * 60 * 60_000,
            },
          ],
        },
        time
      )
      assert.isAtLeast(Date.parse(message.createdAt), before - 1_000)
    }

    const done = await acknowledge(recipient, sent.body.data)
    assert.equal(done.status, 202)
    assert.equal(done.text, '')
    assert.deepEqual(await pull(recipient), [])
    assert.containsSubset(await mailboxOf(recipient), { messages: 0, bytes: 0 })
  })

  test('messages have one copy for each recipient, also for one that is named many times', async ({
    assert,
  }) => {
    const [sender, one, two] = [somebody(), somebody('robot'), somebody('user')]
    const [again, more] = [structuredClone(one), Array.from({ length: 500 }, () => two)]
    again.party = { ...one.party, id: one.party.id.toUpperCase() }
    const ids = await send(sender, [two, one, sender, again, ...more], { data: 1 })
    assert.lengthOf(ids, 504)
    assert.lengthOf(new Set(ids), 3)
    assert.deepEqual(new Set(ids.slice(4)), new Set(ids.slice(0, 1)))
    assert.equal(ids[3], ids[1])
    assert.deepEqual(idsOf(await pull(two)), [ids[0]])
    assert.deepEqual(idsOf(await pull(one)), [ids[1]])
    assert.deepEqual(idsOf(await pull(sender)), [ids[2]])
    assert.containsSubset(await mailboxOf(two), { messages: 1, arrivals: 1 })
  })

  test('arrive in the order they were sent, up to the requested number', async ({ assert }) => {
    const [sender, recipient] = [somebody(), somebody()]
    for (let n = 0; n < 120; n++) {
      await send(sender, [recipient], { data: n })
    }
    const numbers = Array.from({ length: 120 }, (_, n) => n)
    for (const [query, count] of [
      ['', 50],
      ['?limit=3', 3],
      ['?limit=3.9', 3],
      ['?limit=1000', 100],
      ['?limit=0', 50],
      ['?limit=-1', 50],
      ['?limit=many', 50],
      ['?wait=-5&limit=2&other=1', 2],
    ] as const) {
      assert.deepEqual(dataOf(await pull(recipient, query)), numbers.slice(0, count), query)
    }
    await acknowledge(recipient, idsOf(await pull(recipient, '?limit=100')))
    assert.deepEqual(dataOf(await pull(recipient)), numbers.slice(100))
  })

  test('messages are those of the caller only, whatever ids it knows', async ({ assert }) => {
    const [sender, recipient, other] = [somebody(), somebody(), somebody()]
    const sameId: Somebody = { ...recipient, party: { type: 'user', id: recipient.party.id } }
    const ids = await send(sender, [recipient], { data: 'for one' })
    const [forSameId] = await send(sender, [sameId], { data: 'for the same id of another kind' })
    assert.deepEqual(await pull(other), [])
    assert.deepEqual(idsOf(await pull(recipient)), ids)
    for (const whose of [sender, other]) {
      assert.equal((await acknowledge(whose, ids)).status, 202)
    }
    const strange = ['zz', '', clock.uuid(), ids[0]!.slice(1), forSameId]
    assert.equal((await acknowledge(recipient, strange)).status, 202)
    assert.deepEqual(idsOf(await pull(recipient)), ids)
    assert.equal((await acknowledge(recipient, [...ids, ...ids, 'zz'])).status, 202)
    assert.equal((await acknowledge(recipient, ids)).status, 202)
    assert.deepEqual(await pull(recipient), [])
    assert.containsSubset(await mailboxOf(sameId), { messages: 1 })
  })

  test('messages are acknowledged by several at once, and counted once', async ({ assert }) => {
    const [sender, recipient] = [somebody(), somebody()]
    const ids: string[] = []
    for (let n = 0; n < 20; n++) {
      ids.push(...(await send(sender, [recipient])))
    }
    const orders = Array.from({ length: 8 }, (_, n) => (n % 2 ? ids : ids.toReversed()))
    const done = await Promise.all(orders.map((order) => acknowledge(recipient, order)))
    assert.deepEqual(new Set(done.map(({ status }) => status)), new Set([202]))
    assert.containsSubset(await mailboxOf(recipient), { messages: 0, bytes: 0, arrivals: 20 })
  })

  test('messages need a login, and nothing else', async ({ assert }) => {
    for (const [method, path] of [
      ['POST', '/messages'],
      ['GET', '/messages'],
      ['POST', '/messages/ack'],
      ['GET', '/messages/stream'],
      ['GET', '/messages/expired'],
    ] as const) {
      const { status, body } = await request(NOBODY, method, path)
      assert.equal(status, 401, path)
      assert.equal(body.code, 'identity_unauthorized')
    }
  })
})

test.group('Content of messages', () => {
  const texts = [
    '"123"',
    '"true"',
    '"null"',
    String.raw`"{\"a\":1}"`,
    String.raw`"\u0000 \u00fc \\ \" \/"`,
    '""',
    '0',
    '-0',
    '1.0',
    '1e400',
    '12345678901234567890',
    'true',
    'null',
    '[]',
    '{}',
    '[1,[2,{"data":3}],"]"]',
    '{"2":1,"1":2,"a":{"b":"}"},"a":1,"__proto__":{"x":1}}',
    '{ "spaced" : [ 1 ,\n2 ] }',
  ]

  test('content comes back as it was written: {$self}')
    .with(texts)
    .run(async ({ assert }, text) => {
      const [sender, recipient] = [somebody(), somebody()]
      const party = JSON.stringify(recipient.party)
      const sent = await request(sender, 'POST', '/messages', {
        text: `{ "data" : 1, "recipients" :[${party}],\n "d\\u0061ta": ${text} ,"metadata":${text}}`,
      })
      assert.equal(sent.status, 202, sent.text)
      const pulled = await request(recipient, 'GET', '/messages')
      assert.include(pulled.text, `"data":${text},"metadata":${text},"createdAt"`)
    })

  test('that was not sent is null', async ({ assert }) => {
    const [sender, recipient] = [somebody(), somebody()]
    await send(sender, [recipient])
    assert.containsSubset(await pull(recipient), [{ data: null, metadata: null }])
  })

  test('content of a form is what the form says', async ({ assert }) => {
    const [sender, recipient] = [somebody(), somebody()]
    const { type, id } = recipient.party
    const sent = await request(sender, 'POST', '/messages', {
      text: `recipients[0][type]=${type}&recipients[0][id]=${id}&data=1&metadata[a]=b`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    assert.equal(sent.status, 202, sent.text)
    assert.containsSubset(await pull(recipient), [{ data: '1', metadata: { a: 'b' } }])
  })

  test('content has room up to its limit beside all recipients, and not beyond', async ({
    assert,
  }) => {
    const sender = somebody()
    const recipients = Array.from({ length: 1_000 }, () => somebody())
    const data = 'x'.repeat(MEBIBYTE - 2)
    const { length } = await send(sender, recipients.slice(0, 2), { data })
    assert.equal(length, 2)
    assert.deepEqual(dataOf(await pull(recipients[1]!)), [data])
    for (const content of [{ data: `${data}x` }, { data, metadata: 1 }]) {
      const { status, body } = await request(sender, 'POST', '/messages', {
        body: { recipients: [recipients[0]!.party], ...content },
      })
      assert.equal(status, 413)
      assert.equal(body.code, 'payload_too_large')
    }
    assert.lengthOf(await send(sender, recipients, { data: 'x'.repeat(10) }), 1_000)
    assert.lengthOf(await pull(recipients[0]!), 2)
  })

  test('content of many large messages comes in several answers', async ({ assert }) => {
    const [sender, recipient] = [somebody(), somebody()]
    const data = 'x'.repeat(MEBIBYTE - 2)
    for (let n = 0; n < 18; n++) {
      await send(sender, [recipient], { data })
    }
    const first = await pull(recipient, '?limit=100')
    assert.lengthOf(first, 16)
    await acknowledge(recipient, idsOf(first))
    assert.lengthOf(await pull(recipient, '?limit=100'), 2)
  }).timeout(30_000)
})

test.group('Messages that are refused', () => {
  const { party } = somebody()

  test('refused messages are stored for no recipient: recipients {0}')
    .with([
      ['that are not named', undefined],
      ['that are none', []],
      ['that are no list', party],
      ['of nothing', [{}]],
      ['without an id', [party, { type: 'user' }]],
      ['of another kind', [party, { ...party, type: 'node' }]],
      ['whose id is no uuid', [party, { ...party, id: 'me' }]],
      ['whose id is a number', [party, { ...party, id: 7 }]],
      ['that are null', [party, null]],
      ['that are too many', Array.from({ length: 1_001 }, () => party)],
    ] as const)
    .run(async ({ assert }, [, recipients]) => {
      const sender = somebody()
      const { status, body } = await request(sender, 'POST', '/messages', {
        body: { recipients, data: 'x' },
      })
      assert.equal(status, 400)
      assert.equal(body.code, 'bad_request')
      assert.isAtLeast(body.issues.length, 1)
      const { rows } = await messengerPool().query('select from messages where sender_id = $1', [
        sender.party.id,
      ])
      assert.lengthOf(rows, 0)
    })

  test('refused messages are acknowledgements of nothing: {$self}')
    .with([{}, { ids: [] }, { ids: 'x' }, { ids: [1] }, { ids: Array(1_001).fill('x') }])
    .run(async ({ assert }, body) => {
      const { status } = await request(somebody(), 'POST', '/messages/ack', { body })
      assert.equal(status, 400)
    })

  test('refused messages are those that one of the mailboxes has no room for', async ({
    assert,
    cleanup,
  }) => {
    const wakeups = await app.container.make(Wakeups)
    cleanup(
      useSettings(messengerSettings, {
        messageMaxBytes: 2_000,
        mailboxMaxBytes: 2_000,
        senderMaxBytes: 0,
        senderMaxMessages: 0,
      })
    )
    const service = new MessageService(wakeups)
    app.container.swap(MessageService, () => service)
    cleanup(() => app.container.restore(MessageService))
    const [sender, full, empty] = [somebody(), somebody(), somebody()]
    const data = 'x'.repeat(1_000)
    const ids = await send(sender, [full], { data })
    for (const recipients of [
      [empty, full],
      [full, empty, empty],
      [full, full],
    ]) {
      const { status, body } = await request(sender, 'POST', '/messages', {
        body: { recipients: recipients.map((one) => one.party), data },
      })
      assert.equal(status, 507)
      assert.equal(body.code, 'storage_insufficient')
      assert.deepEqual(body.issues[0].path, ['recipients'])
    }
    assert.isUndefined(await mailboxOf(empty))
    assert.deepEqual(idsOf(await pull(full)), ids)
    await acknowledge(full, ids)
    await send(sender, [empty, full], { data })
  })
})

test.group('Large messages and the rate limit', () => {
  test('much count as several requests, and small ones as one', async ({ assert, cleanup }) => {
    const limiter = new RateLimiter({ anonymous: 0, user: 0, client: 100 })
    app.container.swap(RateLimiter, () => limiter)
    cleanup(() => app.container.restore(RateLimiter))
    const [sender, recipients] = [somebody(), Array.from({ length: 100 }, () => somebody())]
    const post = (to: readonly Somebody[], data: string) =>
      request(sender, 'POST', '/messages', {
        body: { recipients: to.map(({ party }) => party), data },
      })
    const remaining = async () => (await limiter.count(sender.actor, ''))!.remaining
    const [before] = [await remaining(), await post(recipients.slice(0, 9), 'small')]
    assert.equal(await remaining(), before - 1)
    assert.equal((await post(recipients, 'x'.repeat(4 * 16_384))).status, 202)
    assert.equal(await remaining(), before - 2 - 10 - 4)
    const refused = await post(recipients.slice(0, 1), 'x'.repeat(MEBIBYTE - 2))
    assert.equal((await post(recipients.slice(0, 1), 'x'.repeat(MEBIBYTE - 2))).status, 429)
    assert.equal(refused.status, 202)
    const answered = await post(recipients.slice(0, 1), 'x'.repeat(MEBIBYTE - 2))
    assert.equal(answered.body.code, 'rate_limited')
    assert.isAtLeast(Number(answered.headers.get('retry-after')), 1)
    assert.lengthOf(await pull(recipients[0]!), 3)
  })

  test('large messages are rejected at the limit of their sender, with Retry-After', async ({
    assert,
    cleanup,
  }) => {
    const wakeups = await app.container.make(Wakeups)
    const limits = { mailboxMaxBytes: 0, senderMaxBytes: 0, senderMaxMessages: 3 }
    cleanup(useSettings(messengerSettings, limits))
    const service = new MessageService(wakeups)
    app.container.swap(MessageService, () => service)
    cleanup(() => app.container.restore(MessageService))
    const [sender, one, two] = [somebody(), somebody(), somebody()]
    await send(sender, [one, two])
    const { status, body, headers } = await request(sender, 'POST', '/messages', {
      body: { recipients: [one.party, two.party] },
    })
    assert.equal(status, 429)
    assert.equal(body.code, 'rate_limited')
    assert.equal(body.issues[0].code, 'sender_full')
    assert.equal(headers.get('retry-after'), '10')
    await send(one, [sender])
    assert.lengthOf(await pull(one), 1)
  })
})

test.group('Messages with a key', () => {
  const withKey = (key: string) => ({ 'idempotency-key': key })

  test('messages are sent once, and answered as the first time', async ({ assert }) => {
    const [sender, recipient] = [somebody(), somebody()]
    const key = withKey(clock.uuid())
    const twice = [recipient, sender, recipient]
    const ids = await send(sender, twice, { data: 1 }, key)
    await acknowledge(sender, ids.slice(1))
    assert.deepEqual(await send(sender, twice, { data: 1 }, key), ids)
    assert.deepEqual(idsOf(await pull(recipient)), ids.slice(0, 1))
    assert.deepEqual(await pull(sender), [])
    const another = await send(sender, [recipient], {}, withKey(clock.uuid()))
    assert.notInclude(ids, another[0]!)
  })

  test('messages are sent once, also where many come at the same time', async ({ assert }) => {
    const [sender, recipient] = [somebody(), somebody()]
    const key = withKey(clock.uuid())
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => send(sender, [recipient], { data: 1 }, key))
    )
    assert.lengthOf(new Set(answers.flat()), 1)
    assert.deepEqual(idsOf(await pull(recipient)), answers[0])
  })

  test('messages are known by it to their sender only, and for a day', async ({ assert }) => {
    const [sender, other, recipient] = [somebody(), somebody(), somebody()]
    const key = clock.uuid()
    const first = await send(sender, [recipient], {}, withKey(key))
    await send(other, [recipient], {}, withKey(key))
    assert.lengthOf(await pull(recipient), 2)
    await messengerPool().query(
      `update message_keys set created_at = now() - interval '24 hours' where key = $1`,
      [key]
    )
    const later = await send(sender, [recipient], {}, withKey(key))
    assert.notDeepEqual(later, first)
    assert.deepEqual(await send(sender, [recipient], {}, withKey(key)), later)
    assert.lengthOf(await pull(recipient), 3)
  })

  test('messages are rejected with an invalid key', async ({ assert }) => {
    const [sender, recipient] = [somebody(), somebody()]
    for (const key of ['', 'x'.repeat(256)]) {
      const { status } = await request(sender, 'POST', '/messages', {
        body: { recipients: [recipient.party] },
        headers: withKey(key),
      })
      assert.equal(status, 400)
    }
    assert.deepEqual(await pull(recipient), [])
  })

  test('messages are known only once they were sent', async ({ assert }) => {
    const [sender, recipient] = [somebody(), somebody()]
    const key = withKey(clock.uuid())
    const { status } = await request(sender, 'POST', '/messages', {
      body: { recipients: [recipient.party], data: 'x'.repeat(MEBIBYTE) },
      headers: key,
    })
    assert.equal(status, 413)
    await send(sender, [recipient], { data: 'shorter' }, key)
    assert.deepEqual(dataOf(await pull(recipient)), ['shorter'])
  })
})

test.group('Messages that had their time', () => {
  test('expired messages are not delivered any more, swept or not', async ({ assert }) => {
    const [sender, recipient] = [somebody(), somebody()]
    const old = await send(sender, [recipient], { data: 'old' })
    const young = await send(sender, [recipient], { data: 'young' })
    await age(old, '24 hours')
    await age(young, '23 hours 59 minutes')
    assert.deepEqual(idsOf(await pull(recipient)), young)
    assert.deepEqual(idsOf(await pull(recipient, '?wait=1')), young)
    assert.equal((await acknowledge(recipient, [...old, ...young])).status, 202)
    assert.containsSubset(await mailboxOf(recipient), { messages: 0, bytes: 0 })
  })
})
