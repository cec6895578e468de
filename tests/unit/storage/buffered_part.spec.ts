import { randomBytes } from 'node:crypto'

import { test } from '@japa/runner'

import { BufferedPart } from '#storage/objects/s3/buffered_part'
import { BufferPool } from '#storage/objects/s3/buffer_pool'

const MIB = 1024 ** 2

test.group('Parts of an upload', () => {
  test('parts of {0} bytes, added in chunks of {1}, contain what was added')
    .with([
      [0, 1],
      [1, 1],
      [1_000, 7],
      [256 * 1024, 64 * 1024],
      [256 * 1024 + 1, 64 * 1024],
      [3 * MIB, 65_000],
      [8 * MIB, MIB],
    ] as const)
    .run(({ assert }, [length, step]) => {
      const bytes = randomBytes(length)
      const part = new BufferedPart(new BufferPool())
      for (let at = 0; at < length; at += step) {
        part.add(bytes.subarray(at, at + step), 8 * MIB)
      }
      assert.equal(part.length, length)
      assert.isTrue(part.take().bytes.equals(bytes))
      assert.equal(part.length, 0)
    })

  test('parts keep their bytes when the next part is buffered', ({ assert }) => {
    const part = new BufferedPart(new BufferPool())
    const [first, second] = [randomBytes(MIB), randomBytes(MIB)]
    part.add(first, 8 * MIB)
    const content = part.take().bytes
    part.add(second, 8 * MIB)
    assert.isTrue(content.equals(first))
    assert.isTrue(part.take().bytes.equals(second))
  })

  test('parts of which many are gathered at once are whole as well', ({ assert }) => {
    const buffers = new BufferPool()
    const bytes = randomBytes(MIB)
    const parts = Array.from({ length: 40 }, () => new BufferedPart(buffers))
    for (const part of parts) {
      part.add(bytes.subarray(0, 100_000), 8 * MIB)
      part.add(bytes.subarray(100_000), 8 * MIB)
    }
    const content = parts.map((part) => part.take())
    assert.isTrue(content.every((part) => part.bytes.equals(bytes)))
    content.forEach(({ release: done }) => done())
    assert.isDefined(buffers.acquire())
  })

  test('that may still be read are not written over', ({ assert }) => {
    const buffers = new BufferPool()
    const [first, second] = [randomBytes(MIB), randomBytes(MIB)]
    const part = new BufferedPart(buffers)
    part.add(first, 8 * MIB)
    const discarded = part.take()
    discarded.abandon()
    part.add(second, 8 * MIB)
    assert.isTrue(discarded.bytes.equals(first))
    const sent = part.take()
    sent.release()
    part.add(first, 8 * MIB)
    assert.isTrue(sent.bytes.equals(first), 'its memory was used again')
    part.discard()
    assert.equal(part.length, 0)
  })
})
