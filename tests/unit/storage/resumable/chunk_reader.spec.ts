import { randomBytes } from 'node:crypto'

import { test } from '@japa/runner'

import { ChunkReader } from '#storage/resumable/chunk_reader'
import { withManualTimers } from '#tests/helpers/manual_timers'
import { chunksOf, pushed } from '#tests/helpers/storage/object_store_suite'

const content = randomBytes(500_000)
const never = new AbortController().signal

async function readChunks(incoming: ChunkReader, bytes: number): Promise<Buffer[]> {
  const chunks: Buffer[] = []
  while (await incoming.hasMore()) {
    chunks.push(Buffer.concat(await Array.fromAsync(incoming.nextChunk(bytes))))
  }
  return chunks
}

test.group('The bytes of a request', () => {
  test('the bytes are divided into chunks of {bytes} bytes')
    .with([{ bytes: 1_000 }, { bytes: 65_536 }, { bytes: 99_999 }, { bytes: 1_000_000 }])
    .run(async ({ assert }, { bytes }) => {
      const chunks = await readChunks(new ChunkReader(chunksOf(content), never), bytes)
      assert.isTrue(content.equals(Buffer.concat(chunks)))
      assert.lengthOf(chunks, Math.ceil(content.length / bytes))
    })

  test('the bytes are one chunk on request', async ({ assert }) => {
    const incoming = new ChunkReader(chunksOf(content), never)
    assert.isTrue(content.equals(Buffer.concat(await Array.fromAsync(incoming.all()))))
    assert.isFalse(await incoming.hasMore())
  })

  test('a broken source ends the chunk normally and reports the reason', async ({ assert }) => {
    const broken = new Error('The client is gone')
    async function* breaking() {
      yield content
      throw broken
    }
    const incoming = new ChunkReader(breaking(), never)
    const chunks = await readChunks(incoming, 300_000)
    assert.isTrue(content.equals(Buffer.concat(chunks)))
    assert.strictEqual(incoming.failure, broken)
  })

  test('the bytes end where they are stopped, also while nothing comes', async ({ assert }) => {
    const stop = new AbortController()
    const { source, send } = pushed()
    const incoming = new ChunkReader(source, stop.signal)
    const reading = readChunks(incoming, 1_000_000)
    await send(content)
    stop.abort(new Error('Enough'))
    assert.isTrue(content.equals(Buffer.concat(await reading)))
    assert.equal((incoming.failure as Error).message, 'Enough')
  })

  test('a chunk has the bytes of its time, and none are lost in between', async ({ assert }) => {
    await withManualTimers(async (pass) => {
      const { source, send, end } = pushed()
      const incoming = new ChunkReader(source, never, 1_000)
      const reading = readChunks(incoming, 1_000_000)
      for (let start = 0; start < content.length; start += 100_000) {
        await send(content.subarray(start, start + 100_000))
        await pass(1_000)
      }
      end()
      const chunks = await reading
      assert.isTrue(content.equals(Buffer.concat(chunks)))
      assert.lengthOf(chunks, 5)
      assert.isUndefined(incoming.failure)
    })
  })
})
