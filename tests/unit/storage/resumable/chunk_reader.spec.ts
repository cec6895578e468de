import { randomBytes } from 'node:crypto'

import { test } from '@japa/runner'

import { ChunkReader } from '#storage/resumable/chunk_reader'
import { withHeldTimers } from '#tests/helpers/held_timers'
import { chunksOf, pushed } from '#tests/helpers/object_store_suite'

const content = randomBytes(500_000)
const never = new AbortController().signal

async function piecesOf(incoming: ChunkReader, bytes: number): Promise<Buffer[]> {
  const pieces: Buffer[] = []
  while (await incoming.hasMore()) {
    pieces.push(Buffer.concat(await Array.fromAsync(incoming.nextChunk(bytes))))
  }
  return pieces
}

test.group('The bytes of a request', () => {
  test('the bytes are cut into pieces of {bytes} bytes')
    .with([{ bytes: 1_000 }, { bytes: 65_536 }, { bytes: 99_999 }, { bytes: 1_000_000 }])
    .run(async ({ assert }, { bytes }) => {
      const pieces = await piecesOf(new ChunkReader(chunksOf(content), never), bytes)
      assert.isTrue(content.equals(Buffer.concat(pieces)))
      assert.lengthOf(pieces, Math.ceil(content.length / bytes))
    })

  test('the bytes are one piece where that is asked for', async ({ assert }) => {
    const incoming = new ChunkReader(chunksOf(content), never)
    assert.isTrue(content.equals(Buffer.concat(await Array.fromAsync(incoming.all()))))
    assert.isFalse(await incoming.hasMore())
  })

  test('the bytes end in good order where they break off, and say why', async ({ assert }) => {
    const broken = new Error('The client is gone')
    async function* breaking() {
      yield content
      throw broken
    }
    const incoming = new ChunkReader(breaking(), never)
    const pieces = await piecesOf(incoming, 300_000)
    assert.isTrue(content.equals(Buffer.concat(pieces)))
    assert.strictEqual(incoming.failure, broken)
  })

  test('the bytes end where they are stopped, also while nothing comes', async ({ assert }) => {
    const stop = new AbortController()
    const { source, send } = pushed()
    const incoming = new ChunkReader(source, stop.signal)
    const reading = piecesOf(incoming, 1_000_000)
    await send(content)
    stop.abort(new Error('Enough'))
    assert.isTrue(content.equals(Buffer.concat(await reading)))
    assert.equal((incoming.failure as Error).message, 'Enough')
  })

  test('a piece is what came in its time, and nothing is lost in between', async ({ assert }) => {
    await withHeldTimers(async (pass) => {
      const { source, send, end } = pushed()
      const incoming = new ChunkReader(source, never, 1_000)
      const reading = piecesOf(incoming, 1_000_000)
      for (let start = 0; start < content.length; start += 100_000) {
        await send(content.subarray(start, start + 100_000))
        await pass(1_000)
      }
      end()
      const pieces = await reading
      assert.isTrue(content.equals(Buffer.concat(pieces)))
      assert.lengthOf(pieces, 5)
      assert.isUndefined(incoming.failure)
    })
  })
})
