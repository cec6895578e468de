import { test } from '@japa/runner'

import { RestartPause } from '#runtime/pool/restart_pause'

const OPTIONS = { shortestMs: 250, longestMs: 2_000, steadyMs: 60_000 }

test('crashes in a row are answered at once, then after pauses that double up to a limit', ({
  assert,
}) => {
  const pause = new RestartPause(OPTIONS)
  const pauses = Array.from({ length: 7 }, () => pause.next(100))

  assert.deepEqual(pauses, [0, 250, 500, 1_000, 2_000, 2_000, 2_000])
})

test('who ran steadily begins anew', ({ assert }) => {
  const pause = new RestartPause(OPTIONS)
  pause.next(100)
  pause.next(100)

  assert.equal(pause.next(60_000), 0)
  assert.equal(pause.next(59_999), 250)
})
