import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'

import { test } from '@japa/runner'

import { Unauthorized } from '#kernel/failures'
import { TokenVerifier } from '#auth/verification/token_verifier'

import { StandInProvider } from '#tests/unit/identity/stand_in/stand_in_provider'
import { externalProvider } from '#tests/unit/identity/subjects'

const TRUST_MS = 600
/** What a busy machine may add. */
const SLACK_MS = 400

test.group('Long-lived connections', (group) => {
  let standIn: StandInProvider
  let tokens: TokenVerifier
  let closed: AbortController

  const verifier = (trustMs: number) => new TokenVerifier(externalProvider(standIn), { trustMs })
  /** What whoever asks may do from now on. */
  const permit = (...names: string[]) =>
    standIn.fail(async (_, answer) => {
      const { status, body } = await answer()
      const permissions = names.map((name) => ({ name }))
      return { status, body: { ...(body as object), permissions } }
    })
  const introspections = () => standIn.count('/token/introspect')
  /** Everything a verdict needs was asked for. */
  const isJudged = () => standIn.count(`/users/${standIn.ann.id}`) === 1

  group.each.setup(async () => {
    standIn = await StandInProvider.start()
    tokens = verifier(TRUST_MS)
    closed = new AbortController()
    return async () => {
      closed.abort()
      await standIn.goAway()
    }
  })

  test('stay for as long as the token is good, which is asked again and again', async ({
    assert,
  }) => {
    const staying = tokens.stay(standIn.mint(), closed.signal)
    await delay(TRUST_MS * 2.5)
    assert.isFalse(staying.aborted)
    assert.isAtLeast(introspections(), 3)
  })

  test('end when the token does, and not before', async ({ assert }) => {
    const exp = Math.floor(Date.now() / 1000) + 2
    const staying = tokens.stay(standIn.mint({ exp }), closed.signal)
    await endOf(staying)
    assert.isAtLeast(Date.now(), exp * 1000)
    assert.isAtMost(Date.now(), exp * 1000 + SLACK_MS)
    assert.instanceOf(staying.reason, Unauthorized)
  })

  test('end within the time of one verdict after the token was revoked', async ({ assert }) => {
    const token = standIn.mint()
    const staying = tokens.stay(token, closed.signal)
    await delay(TRUST_MS / 4)
    assert.isFalse(staying.aborted)
    standIn.revoke(token)
    const revokedAt = Date.now()
    await endOf(staying)
    assert.isAtMost(Date.now() - revokedAt, TRUST_MS + SLACK_MS)
    assert.isUndefined(await tokens.verify(token))
  })

  test('end in the same time where a permission is taken away, and not where one is given', async ({
    assert,
  }) => {
    const staying = tokens.stay(standIn.mint(), closed.signal)
    await until(() => introspections() === 1)
    permit('node_create', 'node_update', 'analysis_update')
    await delay(TRUST_MS * 1.5)
    assert.isFalse(staying.aborted)
    permit('node_create', 'analysis_update')
    const takenAt = Date.now()
    await endOf(staying)
    assert.isAtMost(Date.now() - takenAt, TRUST_MS + SLACK_MS)
    assert.instanceOf(staying.reason, Unauthorized)
    assert.match(staying.reason.message, /permission/)
  })

  test('end no later where other requests keep the token in use', async ({ assert }) => {
    const token = standIn.mint()
    await tokens.verify(token)
    await delay(TRUST_MS / 2)
    const staying = tokens.stay(token, closed.signal)
    await delay(TRUST_MS * 0.6)
    await tokens.verify(token)
    standIn.revoke(token)
    const revokedAt = Date.now()
    await endOf(staying)
    assert.isAtMost(Date.now() - revokedAt, TRUST_MS + SLACK_MS)
  })

  test('outlast a provider that fails for a moment', async ({ assert }) => {
    const longer = 4 * TRUST_MS
    const staying = verifier(longer).stay(standIn.mint(), closed.signal)
    await until(isJudged)
    standIn.fail(() => ({ status: 502, body: '' }))
    await until(() => introspections() >= 3)
    standIn.fail()
    await delay(longer / 2)
    assert.isFalse(staying.aborted)
  })

  test('end where the provider stays away', async ({ assert }) => {
    const staying = tokens.stay(standIn.mint(), closed.signal)
    await until(isJudged)
    const askedAt = Date.now()
    await standIn.goAway()
    await endOf(staying)
    assert.isAtMost(Date.now() - askedAt, TRUST_MS + SLACK_MS)
    await standIn.listen()
  })

  test('never begin with a token that is not good', async ({ assert }) => {
    const staying = tokens.stay('nonsense', closed.signal)
    await endOf(staying)
    assert.instanceOf(staying.reason, Unauthorized)
    assert.equal(introspections(), 0)
  })

  test('of one token ask together', async ({ assert }) => {
    const token = standIn.mint()
    const staying = Array.from({ length: 200 }, () => tokens.stay(token, closed.signal))
    await until(() => introspections() >= 3)
    assert.isFalse(staying.some(({ aborted }) => aborted))
    assert.equal(introspections(), 3)
  })

  test('ask no more once they are closed', async ({ assert }) => {
    const staying = tokens.stay(standIn.mint(), closed.signal)
    await until(() => introspections() === 1)
    closed.abort()
    assert.isTrue(staying.aborted)
    assert.isTrue(tokens.stay(standIn.mint(), closed.signal).aborted)
    await delay(TRUST_MS)
    assert.equal(introspections(), 1)
  })
})

async function endOf(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) {
    await once(signal, 'abort', { signal: AbortSignal.timeout(10_000) })
  }
}

async function until(isSo: () => boolean): Promise<void> {
  const deadline = performance.now() + 10_000
  while (!isSo() && performance.now() < deadline) {
    await delay(5)
  }
}
