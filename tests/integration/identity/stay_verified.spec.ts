import { setTimeout as delay } from 'node:timers/promises'

import { test } from '@japa/runner'

import { EndSignal } from '#kernel/end_signal'
import { Unauthorized } from '#kernel/failures'
import { TokenVerifier } from '#auth/verification/token_verifier'

import { eventually } from '#tests/helpers/eventually'
import { StandInProvider } from '#tests/unit/identity/stand_in/stand_in_provider'
import { externalProvider } from '#tests/unit/identity/subjects'
import { stopwatch } from '#tests/helpers/stopwatch'

const TRUST_MS = 1_000
/** What a busy machine may add. */
const SLACK_MS = 1_000

test.group('Long-lived connections', (group) => {
  let standIn: StandInProvider
  let tokens: TokenVerifier
  let opened: EndSignal[]

  const verifier = (trustMs: number) => new TokenVerifier(externalProvider(standIn), { trustMs })
  /** The permissions of the account from now on. */
  const permit = (...names: string[]) =>
    standIn.fail(async (_, answer) => {
      const { status, body } = await answer()
      const permissions = names.map((name) => ({ name }))
      return { status, body: { ...(body as object), permissions } }
    })
  /** A connection that was opened with a token. */
  const watch = (token: string, by = tokens) => {
    const connection = new EndSignal()
    opened.push(connection)
    by.guardConnection(token, connection)
    return connection
  }
  const close = () => opened.forEach((connection) => connection.end())
  const introspections = () => standIn.count('/token/introspect')
  /** All requests for a verdict were sent. */
  const isJudged = () => standIn.count(`/users/${standIn.ann.id}`) === 1

  group.each.setup(async () => {
    standIn = await StandInProvider.start()
    tokens = verifier(TRUST_MS)
    opened = []
    return async () => {
      close()
      await standIn.goAway()
    }
  })

  test('stay for as long as the token is active, which is checked regularly', async ({
    assert,
  }) => {
    const watched = watch(standIn.mint())
    await eventually(() => introspections() >= 3)
    assert.isFalse(watched.hasEnded)
  })

  test('end when the token does, and not before', async ({ assert }) => {
    const exp = Math.floor(Date.now() / 1000) + 2
    const watched = watch(standIn.mint({ exp }))
    await endOf(watched)
    assert.isAtLeast(Date.now(), exp * 1000)
    assert.isAtMost(Date.now(), exp * 1000 + SLACK_MS)
    assert.instanceOf(watched.reason, Unauthorized)
  }).retry(2)

  test('end within the time of one verdict after the token was revoked', async ({ assert }) => {
    const token = standIn.mint()
    const watched = watch(token)
    await delay(TRUST_MS / 4)
    assert.isFalse(watched.hasEnded)
    standIn.revoke(token)
    const took = stopwatch()
    await endOf(watched)
    assert.isAtMost(took(), TRUST_MS + SLACK_MS)
    assert.isUndefined(await tokens.verify(token))
  }).retry(2)

  test('end in the same time if a permission is revoked, but not if one is granted', async ({
    assert,
  }) => {
    const watched = watch(standIn.mint())
    await eventually(() => introspections() >= 1)
    permit('node_create', 'node_update', 'analysis_update')
    await delay(TRUST_MS * 1.5)
    assert.isFalse(watched.hasEnded)
    permit('node_create', 'analysis_update')
    const took = stopwatch()
    await endOf(watched)
    assert.isAtMost(took(), TRUST_MS + SLACK_MS)
    assert.instanceOf(watched.reason, Unauthorized)
    assert.match(String(watched.reason), /permission/)
  }).retry(2)

  test('end no later if other requests use the token', async ({ assert }) => {
    const token = standIn.mint()
    await tokens.verify(token)
    await delay(TRUST_MS / 2)
    const watched = watch(token)
    await delay(TRUST_MS * 0.6)
    await tokens.verify(token)
    standIn.revoke(token)
    const took = stopwatch()
    await endOf(watched)
    assert.isAtMost(took(), TRUST_MS + SLACK_MS)
  }).retry(2)

  test('outlast a provider that fails for a moment', async ({ assert }) => {
    const longer = 4 * TRUST_MS
    const watched = watch(standIn.mint(), verifier(longer))
    await eventually(isJudged)
    standIn.fail(() => ({ status: 502, body: '' }))
    await eventually(() => introspections() >= 3)
    standIn.fail()
    await delay(longer / 2)
    assert.isFalse(watched.hasEnded)
  })

  test('end if the provider stays unavailable', async ({ assert }) => {
    const watched = watch(standIn.mint())
    await eventually(isJudged)
    const took = stopwatch()
    await standIn.goAway()
    await endOf(watched)
    assert.isAtMost(took(), TRUST_MS + SLACK_MS)
    await standIn.listen()
  }).retry(2)

  test('never start with an inactive token', async ({ assert }) => {
    const watched = watch('nonsense')
    await endOf(watched)
    assert.instanceOf(watched.reason, Unauthorized)
    assert.equal(introspections(), 0)
  })

  test('share introspections of a token', async ({ assert }) => {
    const token = standIn.mint()
    const watched = Array.from({ length: 200 }, () => watch(token))
    await eventually(() => introspections() >= 3)
    assert.isFalse(watched.some(({ hasEnded: isOver }) => isOver))
    assert.equal(introspections(), 3)
  })

  test('stop introspecting when they are closed', async ({ assert }) => {
    watch(standIn.mint())
    await eventually(() => introspections() >= 1)
    close()
    const over = new EndSignal()
    over.end()
    tokens.guardConnection(standIn.mint(), over)
    await delay(TRUST_MS)
    assert.equal(introspections(), 1)
  })
})

async function endOf(connection: EndSignal): Promise<void> {
  await eventually(() => connection.hasEnded, 10_000)
}
