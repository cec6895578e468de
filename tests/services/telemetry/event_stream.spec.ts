import { test } from '@japa/runner'

import { newId } from '#kernel/new_id'
import { followed } from '#tests/helpers/telemetry/followed'
import { logIn, startServedPool } from '#tests/services/servers/served_pool'

const FOLLOWERS = 8
/** Shorter than the polling interval of a process. */
const SOON_MS = 30_000

test('Events reach all streams, whichever process of a pool stores them', async ({
  assert,
  cleanup,
}) => {
  const { hub } = await startServedPool(cleanup)
  const token = await logIn(hub.origin)
  const headers = { authorization: `Bearer ${token}`, connection: 'close' }
  const name = `name-${newId()}`.slice(0, 60)
  const url = `${hub.origin}/telemetry/events?filter[name]=${name}`
  const streams = await Promise.all(Array.from({ length: FOLLOWERS }, () => followed(url, headers)))
  cleanup(() => Promise.all(streams.map((stream) => stream.leave())).then(() => {}))
  const body = JSON.stringify({ scope: 'builder', name, refType: 'analysis' })
  for (let written = 1; written <= 4; written++) {
    const answer = await fetch(`${hub.origin}/telemetry/events`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
    })
    assert.equal(answer.status, 201)
    const received = await Promise.all(streams.map((stream) => stream.until(written, SOON_MS)))
    assert.deepEqual(
      received.map(({ length }) => length),
      Array(FOLLOWERS).fill(written)
    )
  }
})
