import { test } from '@japa/runner'

import { eventsIn, followEvents } from '#client/events'
import { Refused } from '#client/failures'
import { Transport } from '#client/transport'
import { sendJson, TestPlatform } from '#tests/helpers/client/test_platform'

const PAUSES = { firstMs: 1, longestMs: 1 }

const event = (id: number) => `id: ${id}\nevent: named\ndata: ${id}\n\n`

/** A platform that answers each connection with the next of these, and what reads it. */
async function streaming(cleanup: (end: () => void) => void, ...answers: (string | number)[]) {
  const platform = await TestPlatform.start(cleanup)
  platform.issue()
  platform.answer = (response) => {
    const answer = answers.shift() ?? 500
    if (typeof answer === 'number') {
      sendJson(response, {}, answer)
    } else {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(answer, () => response.destroy())
    }
  }
  const headers = { authorization: 'Bearer secret-token-1' }
  const transport = new Transport({ headers: () => headers })
  const controller = new AbortController()
  const follow = (options: Partial<Parameters<typeof followEvents>[1]> = {}) =>
    followEvents(
      (own, signal) => transport.open(`${platform.url}/core/things`, { headers: own, signal }),
      { signal: controller.signal, pauses: PAUSES, ...options }
    )
  return { platform, follow, controller }
}

test.group('A stream of events', () => {
  test('the stream is resumed after its last event', async ({ assert, cleanup }) => {
    const answers = [event(1) + event(2), 503, event(3)]
    const { platform, follow, controller } = await streaming(cleanup, ...answers)
    const seen: string[] = []
    for await (const { data } of follow()) {
      seen.push(data)
      if (data === '3') {
        controller.abort()
      }
    }
    assert.deepEqual(seen, ['1', '2', '3'])
    const resumed = platform.requests.map(({ headers }) => headers['last-event-id'])
    assert.deepEqual(resumed, [undefined, '2', '2'])
    assert.equal(platform.requests[0]!.headers.accept, 'text/event-stream')
  })

  test('the stream starts after an event that is known', async ({ assert, cleanup }) => {
    const { platform, follow } = await streaming(cleanup, event(8))
    const { value } = await follow({ after: '7' }).next()
    assert.include(value, { id: '8', data: '8', event: 'named' })
    assert.equal(platform.requests[0]!.headers['last-event-id'], '7')
  })

  test('the stream fails where its failure is final', async ({ assert, cleanup }) => {
    const { follow } = await streaming(cleanup, event(1), 403)
    const finals: unknown[] = []
    const isFinal = (error: unknown, lastId: string | undefined) => {
      finals.push(lastId)
      return error instanceof Refused && !error.isPassing
    }
    const read = () => Array.fromAsync(follow({ isFinal }))
    await assert.rejects(read, 'The server answered with the status 403')
    assert.deepEqual(new Set(finals), new Set(['1']))
  })

  test('the stream ends with its signal while it waits', async ({ assert, cleanup }) => {
    const { follow, controller } = await streaming(cleanup)
    const pauses = { firstMs: 3_600_000, longestMs: 3_600_000 }
    const isFinal = () => {
      setImmediate(() => controller.abort())
      return false
    }
    assert.deepEqual(await Array.fromAsync(follow({ pauses, isFinal })), [])
  })

  test('the stream is opened again where nothing comes', async ({ assert, cleanup }) => {
    const { platform, follow } = await streaming(cleanup)
    platform.answer = (response) => {
      response.writeHead(200).write(event(platform.requests.length))
    }
    const events = follow({ silenceMs: 200 })
    assert.deepEqual(
      [(await events.next()).value?.data, (await events.next()).value?.data],
      ['1', '2']
    )
    await events.return(undefined)
  })

  test('a stream is abandoned where an event has no end', async ({ assert }) => {
    const endless = ReadableStream.from(
      (function* () {
        for (;;) {
          yield new TextEncoder().encode(`data: ${'a'.repeat(1024 ** 2)}`)
        }
      })()
    )
    await assert.rejects(() => Array.fromAsync(eventsIn({ body: endless })), /buffer/)
  })
})
