import { test } from '@japa/runner'

import { boundedBody, readJson } from '#client/body'
import { realTime } from '#tests/helpers/real_time'

const KIB = 1024

/** A body whose chunks are made as they are asked for; counts the bytes that were made. */
function body(chunk: Uint8Array, pauseMs = 0) {
  const made = { bytes: 0, isCancelled: false }
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await realTime(pauseMs, 'the pace of a server')
      made.bytes += chunk.byteLength
      controller.enqueue(chunk)
    },
    cancel() {
      made.isCancelled = true
    },
  })
  return { stream, made }
}

test.group('A body', () => {
  test('a body is abandoned where it is longer than expected', async ({ assert }) => {
    const { stream, made } = body(new Uint8Array(64 * KIB))

    await assert.rejects(
      () => Array.fromAsync(boundedBody(stream, { maxBytes: 1024 * KIB })),
      'The server sent more than the 1048576 bytes expected'
    )
    assert.isTrue(made.isCancelled)
    assert.isBelow(made.bytes, 2048 * KIB)
  })

  test('a body is abandoned where it drips', async ({ assert }) => {
    const { stream, made } = body(new Uint8Array(1), 5)

    await assert.rejects(
      () => Array.fromAsync(boundedBody(stream, { maxBytes: KIB, windowMs: 500 })),
      'The server sent less than 512 bytes in 0.5 s'
    )
    assert.isTrue(made.isCancelled)
  })

  test('a body is abandoned where nothing comes', async ({ assert }) => {
    const silent = new ReadableStream<Uint8Array>({ pull: () => new Promise(() => {}) })

    await assert.rejects(
      () => Array.fromAsync(boundedBody(silent, { windowMs: 50 })),
      'The server sent less than 51.2 bytes in 0.05 s'
    )
  })

  test('a body is not abandoned where its reader takes long', async ({ assert }) => {
    const chunks = [1, 2, 3].map((byte) => new Uint8Array(8).fill(byte))
    const read: number[] = []
    for await (const [byte] of boundedBody(ReadableStream.from(chunks), { windowMs: 60_000 })) {
      await realTime(20, 'the pace of a disk')
      read.push(byte!)
    }

    assert.deepEqual(read, [1, 2, 3])
  })

  test('a body is refused as JSON where it fills memory', async ({ assert }) => {
    const { stream } = body(new Uint8Array(64 * KIB).fill(0x20))

    await assert.rejects(
      () => readJson(new Response(stream), { maxBytes: 256 * KIB }),
      'The server sent more than the 262144 bytes expected'
    )
  })

  test('a body is JSON across chunks, or nothing', async ({ assert }) => {
    const bytes = [...new TextEncoder().encode('{"a":"ä"}')].map((byte) => Uint8Array.of(byte))
    assert.deepEqual(await readJson({ body: ReadableStream.from(bytes) }), { a: 'ä' })
    assert.isUndefined(await readJson(new Response('')))
    await assert.rejects(
      () => readJson(new Response('{')),
      'The server sent something else than JSON'
    )
  })
})
