import { randomBytes } from 'node:crypto'

import { test } from '@japa/runner'

import { GatheredPart } from '#storage/objects/s3/gathered_part'

const MIB = 1024 ** 2

test.group('Parts of an upload', () => {
  test('of {0} bytes, added in pieces of {1}, are what was added')
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
      const part = new GatheredPart()
      for (let at = 0; at < length; at += step) part.add(bytes.subarray(at, at + step))
      assert.equal(part.length, length)
      assert.isTrue(part.take().equals(bytes))
      assert.equal(part.length, 0)
    })

  test('keep their bytes when the next part is gathered', ({ assert }) => {
    const part = new GatheredPart()
    const [first, second] = [randomBytes(MIB), randomBytes(MIB)]
    part.add(first)
    const taken = part.take()
    part.add(second)
    assert.isTrue(taken.equals(first))
    assert.isTrue(part.take().equals(second))
  })
})
