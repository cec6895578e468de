import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { httpSettings, type WaitingLimits } from '#http/http_settings'
import { WaitingRequests } from '#http/waiting_limits'
import { clock } from '#kernel/clock'
import { at } from '#tests/helpers/application'
import { eventually } from '#tests/helpers/eventually'
import { identity, REALMS } from '#tests/helpers/identities'
import { useSettings } from '#tests/helpers/settings'

const STREAM = '/messages/stream'
const LONG_POLL = '/messages?wait=30000'

/** Opens waiting requests until the end of the test. */
async function scene(waitingLimits: WaitingLimits, cleanup: (handler: () => void) => void) {
  cleanup(useSettings(httpSettings, { waitingLimits }))
  const waiting = new WaitingRequests()
  app.container.swap(WaitingRequests, () => waiting)
  const ends: AbortController[] = []
  cleanup(async () => {
    ends.forEach((end) => end.abort())
    app.container.restore(WaitingRequests)
    await eventually(() => waiting.size === 0)
  })
  const ask = (headers: Record<string, string>, path = STREAM, forwarded?: string) => {
    const end = new AbortController()
    ends.push(end)
    const answer = fetch(at('messenger', path), {
      headers: { ...headers, ...(forwarded && { 'x-forwarded-for': forwarded }) },
      signal: end.signal,
    })
    answer.catch(() => {})
    return { answer, end: () => end.abort() }
  }
  const status = async (...parameters: Parameters<typeof ask>) =>
    (await ask(...parameters).answer).status
  return { waiting, ask, status }
}

const UNLIMITED = { perIdentity: 0, perRealm: 0, perAddress: 0 }
const ofRealm = () => identity({ realmId: REALMS.other, realmName: 'site', permissions: [] })

test.group('Streams and long polls', () => {
  test('streams of one caller are limited together, and others have their own', async ({
    assert,
    cleanup,
  }) => {
    const { ask, status, waiting } = await scene({ ...UNLIMITED, perIdentity: 2 }, cleanup)
    const [one, other] = [ofRealm(), ofRealm()]
    const stream = ask(one.headers)
    assert.equal((await stream.answer).status, 200)
    const before = waiting.size
    ask(other.headers, LONG_POLL)
    await eventually(() => waiting.size > before)
    assert.equal(await status(one.headers), 200)
    for (const path of [STREAM, LONG_POLL]) {
      const refused = await ask(one.headers, path).answer
      assert.equal(refused.status, 429, path)
      assert.equal(refused.headers.get('retry-after'), '5')
      const body = (await refused.json()) as { code: string; issues: { code: string }[] }
      assert.equal(body.code, 'rate_limited')
      assert.equal(body.issues[0]!.code, 'waiting_limit')
    }
    assert.equal(await status(other.headers), 200)
    assert.equal(await status(one.headers, '/messages'), 200)
    stream.end()
    await eventually(async () => (await status(one.headers)) === 200)
  })

  test('streams of a realm are limited for all of its callers, but not those of master', async ({
    assert,
    cleanup,
  }) => {
    const { status } = await scene({ ...UNLIMITED, perRealm: 3 }, cleanup)
    for (const expected of [200, 200, 200, 429]) {
      assert.equal(await status(ofRealm().headers), expected)
    }
    const elsewhere = identity({ realmId: clock.uuid(), realmName: 'elsewhere' })
    assert.equal(await status(elsewhere.headers), 200)
    for (let n = 0; n < 5; n++) {
      assert.equal(await status(identity().headers), 200)
    }
  })

  test('streams are limited by the address that a trusted proxy names, and by its own where it names none', async ({
    assert,
    cleanup,
  }) => {
    const { status } = await scene({ ...UNLIMITED, perAddress: 2 }, cleanup)
    for (const address of ['203.0.113.1', '203.0.113.2', undefined]) {
      for (const expected of [200, 200, 429]) {
        assert.equal(await status(ofRealm().headers, STREAM, address), expected, address)
      }
    }
  })
})
