import { test } from '@japa/runner'

import { withNoise } from '#node/transfers/noisy_result'

const AMOUNT = { epsilon: 0.5, sensitivity: 1 }
/** The mean distance of noise of Laplace: sensitivity by epsilon. */
const SCALE = 2
const STEP = SCALE / 2 ** 20

test.group('A number with noise', () => {
  test('noise is off by its scale in the mean, above as often as below', ({ assert }) => {
    const errors = Array.from({ length: 10_000 }, () => withNoise(41.7, AMOUNT) - 41.7)
    const distance = errors.reduce((sum, error) => sum + Math.abs(error), 0) / errors.length
    // Nine standard errors on either side.
    assert.closeTo(distance, SCALE, 0.18)
    assert.closeTo(errors.filter((error) => error > 0).length, 5_000, 450)
  })

  test('noise leaves no digit that reveals the number: all numbers have the same steps', ({
    assert,
  }) => {
    for (const number of [0, 0.1, 1 / 3, 41.7, -1e6 / 7]) {
      assert.equal((withNoise(number, AMOUNT) / STEP) % 1, 0)
    }
  })

  test('noise is impossible if a number has more digits than there are steps', ({ assert }) => {
    assert.isNaN(withNoise(1e17, AMOUNT))
    assert.isNaN(withNoise(Infinity, AMOUNT))
    assert.isNaN(withNoise(1, { epsilon: Number.MIN_VALUE, sensitivity: 1e300 }))
  })
})
