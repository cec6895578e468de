import { test } from '@japa/runner'

import { EndSignal } from '#kernel/end_signal'
import { IdentityUnavailable, Unauthorized } from '#kernel/failures'
import { clock } from '#kernel/clock'
import { eventually } from '#tests/helpers/eventually'
import { WatchedVerifier } from '#tests/helpers/identity/watched_verifier'
import { withManualTimers } from '#tests/helpers/manual_timers'
import { StandInProvider } from '#tests/unit/identity/stand_in/stand_in_provider'
import { externalProvider } from '#tests/unit/identity/subjects'

const TRUST_MS = 1_000
/** When a verdict is renewed, and how soon a renewal that failed is tried again. */
const RENEWAL_MS = 750
const RETRY_MS = 50

test.group('Connections that outlive their request', (group) => {
  let standIn: StandInProvider
  let tokens: WatchedVerifier
  let opened: EndSignal[]

  /** The permissions of the account from now on. */
  const permit = (...names: string[]) =>
    standIn.fail(async (_, answer) => {
      const { status, body } = await answer()
      const permissions = names.map((name) => ({ name }))
      return { status, body: { ...(body as object), permissions } }
    })
  /** A connection that was opened with a token. */
  const watch = (token: string) => {
    const connection = new EndSignal()
    opened.push(connection)
    tokens.guardConnection(token, connection)
    return connection
  }
  const close = () => opened.forEach((connection) => connection.end())
  const introspections = () => standIn.count('/token/introspect')

  /** Time passes when the test says so; it goes on once all verdicts that became due are there. */
  const withTime = (work: (pass: (ms: number) => Promise<void>) => Promise<void>) =>
    withManualTimers((passTimers) =>
      work(async (ms) => {
        await tokens.untilIdle()
        await passTimers(ms)
        await tokens.untilIdle()
      })
    )

  group.each.setup(async () => {
    standIn = await StandInProvider.start()
    tokens = new WatchedVerifier(externalProvider(standIn), { trustMs: TRUST_MS })
    opened = []
    return async () => {
      close()
      await standIn.goAway()
    }
  })

  test('connections stay for as long as the token is active, which is checked regularly', ({
    assert,
  }) =>
    withTime(async (pass) => {
      const watched = watch(standIn.mint())
      for (let checks = 1; checks <= 5; checks++) {
        await pass(RENEWAL_MS - 1)
        assert.equal(introspections(), checks)
        await pass(1)
        assert.equal(introspections(), checks + 1)
      }
      assert.isFalse(watched.hasEnded)
    }))

  test('connections end when the token does, and not before', ({ assert }) =>
    withTime(async (pass) => {
      const exp = Math.floor(clock.now() / 1_000) + 3
      const watched = watch(standIn.mint({ exp }))
      const leftMs = exp * 1_000 - clock.now()
      for (let passedMs = 0; passedMs + RETRY_MS < leftMs; passedMs += RETRY_MS) {
        await pass(RETRY_MS)
        assert.isFalse(watched.hasEnded)
      }
      await pass(RETRY_MS)
      assert.isTrue(watched.hasEnded)
      assert.instanceOf(watched.reason, Unauthorized)
    }))

  test('connections end with the next verdict after the token was revoked', ({ assert }) =>
    withTime(async (pass) => {
      const token = standIn.mint()
      const watched = watch(token)
      await pass(RENEWAL_MS / 2)
      assert.isFalse(watched.hasEnded)
      standIn.revoke(token)
      await pass(RENEWAL_MS / 2)
      assert.isTrue(watched.hasEnded)
      assert.instanceOf(watched.reason, Unauthorized)
      assert.isUndefined(await tokens.verify(token))
    }))

  test('connections end with the next verdict if a permission is revoked, but not if one is granted', ({
    assert,
  }) =>
    withTime(async (pass) => {
      const watched = watch(standIn.mint())
      await pass(0)
      permit('node_create', 'node_update', 'analysis_update')
      await pass(RENEWAL_MS)
      await pass(RENEWAL_MS)
      assert.isFalse(watched.hasEnded)
      permit('node_create', 'analysis_update')
      await pass(RENEWAL_MS)
      assert.isTrue(watched.hasEnded)
      assert.instanceOf(watched.reason, Unauthorized)
      assert.match(String(watched.reason), /permission/)
    }))

  test('connections end no later if other requests use the token', ({ assert }) =>
    withTime(async (pass) => {
      const token = standIn.mint()
      await tokens.verify(token)
      await pass(RENEWAL_MS / 3)
      const watched = watch(token)
      await pass((RENEWAL_MS * 2) / 3)
      assert.equal(introspections(), 2)
      await pass(RENEWAL_MS / 3)
      await tokens.verify(token)
      standIn.revoke(token)
      await pass((RENEWAL_MS * 2) / 3)
      assert.isTrue(watched.hasEnded)
    }))

  test('outlast a provider that fails for a moment', ({ assert }) =>
    withTime(async (pass) => {
      const watched = watch(standIn.mint())
      await pass(0)
      standIn.fail(() => ({ status: 502, body: '' }))
      await pass(RENEWAL_MS)
      await pass(RETRY_MS)
      await pass(RETRY_MS)
      assert.equal(introspections(), 4)
      standIn.fail()
      await pass(RETRY_MS)
      await pass(TRUST_MS / 2)
      assert.isFalse(watched.hasEnded)
    }))

  test('connections end if the provider stays unavailable', async ({ assert }) => {
    await withTime(async (pass) => {
      const watched = watch(standIn.mint())
      await pass(0)
      await standIn.goAway()
      await pass(RENEWAL_MS)
      for (let passedMs = RENEWAL_MS; passedMs < TRUST_MS; passedMs += RETRY_MS) {
        assert.isFalse(watched.hasEnded)
        await pass(RETRY_MS)
      }
      assert.isTrue(watched.hasEnded)
      assert.instanceOf(watched.reason, IdentityUnavailable)
    })
    await standIn.listen()
  })

  test('connections never start with an inactive token', async ({ assert }) => {
    const watched = watch('nonsense')
    await eventually(() => watched.hasEnded)
    assert.instanceOf(watched.reason, Unauthorized)
    assert.equal(introspections(), 0)
  })

  test('connections share introspections of a token', ({ assert }) =>
    withTime(async (pass) => {
      const token = standIn.mint()
      const watched = Array.from({ length: 200 }, () => watch(token))
      await pass(RENEWAL_MS)
      await pass(RENEWAL_MS)
      assert.isFalse(watched.some(({ hasEnded: isOver }) => isOver))
      assert.equal(introspections(), 3)
    }))

  test('connections stop introspecting when they are closed', ({ assert }) =>
    withTime(async (pass) => {
      watch(standIn.mint())
      await pass(0)
      close()
      const over = new EndSignal()
      over.end()
      tokens.guardConnection(standIn.mint(), over)
      await pass(2 * TRUST_MS)
      assert.equal(introspections(), 1)
    }))
})
