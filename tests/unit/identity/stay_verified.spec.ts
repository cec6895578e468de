import { setTimeout as delay } from 'node:timers/promises'

import { test } from '@japa/runner'

import { Unauthorized } from '#http/failures'
import { TokenVerifier } from '#identity/verification/token_verifier'

import { StandInProvider } from './stand_in/stand_in_provider.js'
import { externalProvider } from './subjects.js'

const TRUST_MS = 600

test.group('Long-lived connections', (group) => {
  let standIn: StandInProvider
  let tokens: TokenVerifier
  let closed: AbortController

  group.each.setup(async () => {
    standIn = await StandInProvider.start()
    tokens = new TokenVerifier(externalProvider(standIn), { trustMs: TRUST_MS })
    closed = new AbortController()
    return async () => {
      closed.abort()
      await standIn.goAway()
    }
  })

  const introspections = () => standIn.count('/token/introspect')

  test('stay for as long as the token is good, which is asked again and again', async ({
    assert,
  }) => {
    const staying = tokens.stay(standIn.mint(), closed.signal)
    await delay(TRUST_MS * 2.5)
    assert.isFalse(staying.aborted)
    assert.isAtLeast(introspections(), 3)
  })

  test('end when the token does, to the second', async ({ assert }) => {
    const exp = Math.floor(Date.now() / 1000) + 2
    const staying = tokens.stay(standIn.mint({ exp }), closed.signal)
    await delay(exp * 1000 - Date.now() - 50)
    assert.isFalse(staying.aborted)
    await delay(150)
    assert.isTrue(staying.aborted)
    assert.instanceOf(staying.reason, Unauthorized)
  })

  test('end within the time of one verdict after the token was revoked', async ({ assert }) => {
    const token = standIn.mint()
    const staying = tokens.stay(token, closed.signal)
    await delay(TRUST_MS / 4)
    assert.isFalse(staying.aborted)
    standIn.revoke(token)
    await delay(TRUST_MS)
    assert.isTrue(staying.aborted)
    assert.isUndefined(await tokens.verify(token))
  })

  test('end no later where other requests keep the token in use', async ({ assert }) => {
    const token = standIn.mint()
    await tokens.verify(token)
    await delay(TRUST_MS / 2)
    const staying = tokens.stay(token, closed.signal)
    await delay(TRUST_MS * 0.6)
    await tokens.verify(token)
    standIn.revoke(token)
    await delay(TRUST_MS + 50)
    assert.isTrue(staying.aborted)
  })

  test('outlast a provider that is away for a moment', async ({ assert }) => {
    const staying = tokens.stay(standIn.mint(), closed.signal)
    await delay(TRUST_MS * 0.7)
    await standIn.goAway()
    await delay(TRUST_MS * 0.15)
    await standIn.listen()
    await delay(TRUST_MS)
    assert.isFalse(staying.aborted)
  })

  test('end where the provider stays away', async ({ assert }) => {
    const staying = tokens.stay(standIn.mint(), closed.signal)
    await delay(TRUST_MS / 4)
    await standIn.goAway()
    await delay(TRUST_MS)
    assert.isTrue(staying.aborted)
    await standIn.listen()
  })

  test('never begin with a token that is not good', async ({ assert }) => {
    const staying = tokens.stay('nonsense', closed.signal)
    await delay(10)
    assert.isTrue(staying.aborted)
  })

  test('of one token ask together', async ({ assert }) => {
    const token = standIn.mint()
    const staying = Array.from({ length: 200 }, () => tokens.stay(token, closed.signal))
    await delay(TRUST_MS)
    assert.isFalse(staying.some(({ aborted }) => aborted))
    assert.isAtMost(introspections(), 3)
  })

  test('ask no more once they are closed', async ({ assert }) => {
    const staying = tokens.stay(standIn.mint(), closed.signal)
    await delay(TRUST_MS / 4)
    closed.abort()
    assert.isTrue(staying.aborted)
    await delay(TRUST_MS)
    assert.equal(introspections(), 1)
  })
})
