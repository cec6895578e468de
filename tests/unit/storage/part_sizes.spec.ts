import { test } from '@japa/runner'

import { EARLY_PARTS, MAX_PARTS, partSize, MIN_PART_BYTES } from '#storage/objects/s3/part_sizes'

const GIB = 1024 ** 3
const LARGEST_OBJECT = 5 * 1024 * GIB

/** The total size of parts if the early ones have the minimum size. */
function capacity(expectedBytes?: number): number {
  let bytes = EARLY_PARTS * MIN_PART_BYTES
  for (let part = EARLY_PARTS + 1; part <= MAX_PARTS; part++) {
    bytes += partSize(part, expectedBytes)
  }
  return bytes
}

test.group('Part sizes of multipart uploads', () => {
  test('the largest object fits, whether its size is known or not', ({ assert }) => {
    assert.isAtLeast(capacity(), LARGEST_OBJECT)
    assert.isAtLeast(capacity(LARGEST_OBJECT), LARGEST_OBJECT)
    assert.isAtLeast(capacity(1000 * LARGEST_OBJECT), LARGEST_OBJECT)
  })

  test('an object of any known size fits', ({ assert }) => {
    for (let size = 1; size < LARGEST_OBJECT; size = size * 2 + 1) {
      assert.isAtLeast(capacity(size), size)
    }
  })

  test('no part is smaller or larger than S3 takes', ({ assert }) => {
    for (const expected of [undefined, 0, 1, GIB, LARGEST_OBJECT]) {
      for (let part = 1; part <= MAX_PARTS; part += 9) {
        assert.isAtLeast(partSize(part, expected), MIN_PART_BYTES)
        assert.isAtMost(partSize(part, expected), 5 * GIB)
      }
    }
  })

  test('parts stay small for objects of usual sizes', ({ assert }) => {
    assert.isBelow(partSize(1, 50 * GIB), 9 * 1024 ** 2)
    let bytes = 0
    let part = 0
    while (bytes < 5 * GIB) {
      bytes += partSize(++part)
    }
    assert.isBelow(partSize(part), 9 * 1024 ** 2)
  })
})
