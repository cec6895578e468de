import { test } from '@japa/runner'

import { groupSmallObjects } from '#storage/objects/small_objects'

const KIB = 1024

const shapeOf = (sizes: (number | null)[]) =>
  Array.from(groupSmallObjects(sizes.map((size) => ({ size }))), (run) =>
    Array.isArray(run) ? run.map(({ size }) => size) : run.size
  )

test.group('Runs of small objects', () => {
  test('runs end at one that is large or of an unknown size', ({ assert }) => {
    const large = 256 * KIB
    assert.deepEqual(shapeOf([0, 5, large, null, 7, large - 1, large]), [
      [0, 5],
      large,
      null,
      [7, large - 1],
      large,
    ])
    assert.deepEqual(shapeOf([]), [])
  })

  test('runs have no more than a mebibyte in them', ({ assert }) => {
    const sizes = Array.from({ length: 10 }, () => 250 * KIB)
    assert.deepEqual(
      shapeOf(sizes).map((run) => (run as number[]).length),
      [4, 4, 2]
    )
  })

  test('runs have a maximum number of objects', ({ assert }) => {
    const sizes = Array.from({ length: 600 }, () => 1)
    assert.deepEqual(
      shapeOf(sizes).map((run) => (run as number[]).length),
      [256, 256, 88]
    )
  })
})
