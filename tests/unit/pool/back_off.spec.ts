import { test } from '@japa/runner'

import { BackOff } from '#runtime/pool/back_off'

const OPTIONS = { shortestMs: 250, longestMs: 2_000, steadyMs: 60_000 }

test('crashes in a row are answered at once, then after pauses that double up to a limit', ({
  assert,
}) => {
  const backOff = new BackOff(OPTIONS)
  const pauses = Array.from({ length: 7 }, () => backOff.next(100))

  assert.deepEqual(pauses, [0, 250, 500, 1_000, 2_000, 2_000, 2_000])
})

test('who ran steadily begins anew', ({ assert }) => {
  const backOff = new BackOff(OPTIONS)
  backOff.next(100)
  backOff.next(100)

  assert.equal(backOff.next(60_000), 0)
  assert.equal(backOff.next(59_999), 250)
})
