import { test } from '@japa/runner'

import { Unauthorized } from '#kernel/failures'
import { eventually } from '#tests/helpers/eventually'
import { identity, withEndingTokens } from '#tests/helpers/identities'
import { at } from '#tests/helpers/application'
import { stopwatch } from '#tests/helpers/stopwatch'
import {
  acknowledge,
  request,
  opened,
  parked,
  pull,
  send,
  somebody,
  waiting,
} from './messenger_scene.js'

test.group('A mailbox that is waited for', (group) => {
  // A request ends shortly after its client disconnects.
  group.each.setup(async () => void (await eventually(async () => (await waiting()) === 0)))

  test('a pull answers with what is there, or with the first that comes', async ({ assert }) => {
    const [sender, recipient] = [somebody(), somebody()]
    const [there] = await send(sender, [recipient], { data: 'there' })
    assert.containsSubset(await pull(recipient, '?wait=20000'), [{ id: there }])
    await acknowledge(recipient, [there])
    const requests = [await parked(recipient), await parked(somebody()), await parked(sender)]
    const took = stopwatch()
    const [id] = await send(sender, [recipient], { data: 'later' })
    const { status, body } = await requests[0]!.answer
    assert.equal(status, 200)
    assert.containsSubset(body.messages, [{ id, data: 'later' }])
    assert.isBelow(took(), 1_500)
    await Promise.all(requests.slice(1).map(({ leave }) => leave()))
  }).retry(2)

  test('a pull answers everybody who waits for it', async ({ assert }) => {
    const [sender, recipient] = [somebody(), somebody()]
    const first = await parked(recipient)
    const second = fetch(at('messenger', '/messages?wait=20000&limit=1'), {
      headers: recipient.headers,
    })
    await send(sender, [recipient], { data: 1 })
    for (const answer of [await first.answer, { body: await (await second).json() }]) {
      assert.lengthOf((answer.body as any).messages, 1)
    }
  })

  test('a pull answers with nothing when the time is over', async ({ assert }) => {
    const recipient = somebody()
    const before = await waiting()
    const { status, body } = await request(recipient, 'GET', '/messages?wait=50')
    assert.equal(status, 200)
    assert.deepEqual(body, { messages: [] })
    assert.equal(await waiting(), before)
  })

  test('a pull is not waited for by disconnected callers', async ({ assert }) => {
    const before = await waiting()
    const requests = await Promise.all(Array.from({ length: 20 }, () => parked(somebody())))
    assert.isAbove(await waiting(), before)
    await Promise.all(requests.map(({ leave }) => leave()))
    await eventually(async () => (await waiting()) === before)
  })

  test('a pull is not waited for any longer than the token lasts', async ({ assert }) => {
    await withEndingTokens(async (end) => {
      const [sender, recipient] = [somebody(), somebody()]
      const { answer } = await parked(recipient)
      end()
      const { status, body } = await answer
      assert.equal(status, 200)
      assert.deepEqual(body.messages, [])
      await send(sender, [recipient])
    })
  })

  test('a pull is refused to whoever waits while the token ends, as any other request is', async ({
    assert,
  }) => {
    await withEndingTokens(async (end) => {
      const recipient = somebody()
      const headers = { 'x-request-id': 'of-the-caller' }
      const before = await waiting()
      const pending = request(recipient, 'GET', '/messages?wait=20000', { headers })
      await eventually(async () => (await waiting()) > before)
      end(new Unauthorized('The access token has ended'))
      const refused = await pending
      assert.equal(refused.status, 401)
      assert.containsSubset(refused.body, { code: 'identity_unauthorized' })
      assert.equal(refused.headers.get('x-request-id'), 'of-the-caller')
      assert.equal(refused.headers.get('x-content-type-options'), 'nosniff')
    })
  })

  test('a pull is answered with the headers of one that is not waited for', async ({ assert }) => {
    const recipient = somebody()
    const [waited, atOnce] = [
      await request(recipient, 'GET', '/messages?wait=20'),
      await request(recipient, 'GET', '/messages'),
    ]
    const headersOf = ({ headers }: typeof waited) =>
      [...headers].filter(([name]) => name !== 'date' && name !== 'x-request-id')
    assert.deepEqual(headersOf(waited), headersOf(atOnce))
    assert.match(waited.headers.get('x-request-id')!, /./)
  })
})

test.group('A stream of a mailbox', () => {
  test('the stream notifies at the beginning and with each arrival, without content', async ({
    assert,
  }) => {
    const [sender, recipient] = [somebody(), somebody('robot')]
    const stream = await opened(recipient)
    assert.equal(stream.response.status, 200)
    const { headers } = stream.response
    assert.match(headers.get('content-type')!, /^text\/event-stream/)
    assert.equal(
      headers.get('cache-control'),
      'private, no-cache, no-store, no-transform, must-revalidate, max-age=0'
    )
    assert.equal(headers.get('x-accel-buffering'), 'no')
    await stream.until(1)
    await send(sender, [somebody(), recipient], { data: 'secret' })
    const frames = await stream.until(2)
    const frame = { name: 'messagePending', data: { recipient: recipient.party } }
    assert.deepEqual(frames, [frame, frame])
    await stream.disconnect()
  })

  test('the stream merges many arrivals, the last one included', async ({ assert }) => {
    const [sender, recipient] = [somebody(), somebody()]
    const stream = await opened(recipient)
    await stream.until(1)
    await Promise.all(
      Array.from({ length: 100 }, () =>
        send(
          sender,
          Array.from({ length: 5 }, () => recipient)
        )
      )
    )
    const events = stream.frames().length
    assert.isAtMost(events, 1 + 100)
    await send(sender, [recipient])
    await stream.until(events + 1)
    await stream.disconnect()
  })

  test('the stream ends with the token, in order', async ({ assert }) => {
    await withEndingTokens(async (end) => {
      const stream = await opened(somebody())
      await stream.until(1)
      end()
      await stream.ended
      assert.match(stream.text(), /\n\n$/)
    })
  })

  test('the stream leaves nothing behind when its client disconnects', async () => {
    const before = await waiting()
    const streams = await Promise.all(Array.from({ length: 20 }, () => opened(somebody())))
    await Promise.all(streams.map((stream) => stream.until(1)))
    await Promise.all(streams.map((stream) => stream.disconnect()))
    await eventually(async () => (await waiting()) === before)
  })

  test('the stream returns its headers for HEAD', async ({ assert }) => {
    const response = await fetch(at('messenger', '/messages/stream'), {
      method: 'HEAD',
      headers: identity().headers,
    })
    assert.equal(response.status, 200)
    assert.match(response.headers.get('content-type')!, /^text\/event-stream/)
    assert.equal(await response.text(), '')
  })
})
