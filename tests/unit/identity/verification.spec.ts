import { test } from '@japa/runner'

import { IdentityUnavailable } from '#kernel/failures'
import { TokenVerifier, type VerifierOptions } from '#auth/verification/token_verifier'
import { clock, overrideClock } from '#kernel/clock'

import { FORGERIES, LIES } from '#tests/unit/identity/stand_in/forgeries'
import { SigningKey } from '#tests/unit/identity/stand_in/signing_key'
import { StandInProvider } from '#tests/unit/identity/stand_in/stand_in_provider'
import { externalProvider } from './subjects.js'

const INTROSPECTION = '/token/introspect'
const stranger = new SigningKey()

let standIn: StandInProvider

function verifier(options?: VerifierOptions) {
  return new TokenVerifier(externalProvider(standIn), options)
}

/** Advances the clock until the test ends. */
function later(cleanup: (undo: () => void) => void) {
  let offset = 0
  const startedAt = Date.now()
  cleanup(overrideClock({ now: () => startedAt + offset }))
  return (ms: number) => void (offset += ms)
}

const seconds = () => Math.floor(Date.now() / 1000)

test.group('Token verification | forged tokens', (group) => {
  group.setup(async () => {
    standIn = await StandInProvider.start()
  })
  group.teardown(() => standIn.goAway())

  test('the provider never sees one {0}')
    .with(Object.entries(FORGERIES))
    .run(async ({ assert }, [, forged]) => {
      const tokens = verifier()
      const before = standIn.count(INTROSPECTION)
      assert.isUndefined(await tokens.verify(forged(standIn)))
      assert.equal(standIn.count(INTROSPECTION), before)
      assert.equal((await tokens.verify(standIn.mint()))?.id, standIn.ann.id)
    })

  test('a token that is signed with the key of another realm is refused by the provider', async ({
    assert,
  }) => {
    const { id } = standIn.realms.master
    const claims = { ...standIn.claims(), realm_id: id, realm_name: 'master' }
    assert.isUndefined(await verifier().verify(standIn.keys.siteA.sign(claims)))
    assert.isDefined(await verifier().verify(standIn.mint(claims)))
  })

  test('an opaque token is introspected if the provider issues such tokens', async ({
    assert,
    cleanup,
  }) => {
    const { jti, ...claims } = standIn.claims()
    standIn.fail((_, answer) =>
      standIn.seen.at(-1)?.body.token === 'opaque-token'
        ? { status: 200, body: { active: true, ...claims, permissions: [] } }
        : answer()
    )
    cleanup(() => standIn.fail())
    assert.isUndefined(await verifier().verify('opaque-token'))
    const actor = await verifier({ opaqueTokens: true }).verify('opaque-token')
    assert.equal(actor?.id, standIn.ann.id)
    assert.isUndefined(await verifier({ opaqueTokens: true }).verify('another-token'))
  })
})

test.group('Token verification | introspection', (group) => {
  group.each.setup(async () => {
    standIn = await StandInProvider.start()
    return () => standIn.goAway()
  })

  test('an active token makes the actor', async ({ assert }) => {
    const exp = seconds() + 900
    const token = standIn.mint({ sub_name: 'ann', exp })
    assert.deepEqual(await verifier().verify(token), {
      kind: 'user',
      id: standIn.ann.id,
      name: 'ann',
      realmId: standIn.realms.siteA.id,
      realmName: 'site-a',
      clientId: null,
      permissions: new Set(['node_create', 'node_update']),
      expiresAt: exp,
    })
  })

  test('a response {0} is rejected')
    .with(Object.entries(LIES))
    .run(async ({ assert }, [, lie]) => {
      standIn.fail(async (request, answer) => {
        const reply = await answer()
        const isIntrospection = request.url === INTROSPECTION
        return isIntrospection ? { ...reply, body: lie(reply.body as never, standIn) } : reply
      })
      const token = standIn.mint()
      assert.isUndefined(await verifier().verify(token))
      standIn.fail()
      assert.isDefined(await verifier().verify(token))
    })

  test('a result is cached for a minute and then returned synchronously', async ({
    assert,
    cleanup,
  }) => {
    const pass = later(cleanup)
    const tokens = verifier()
    const token = standIn.mint()
    const actor = await tokens.verify(token)
    pass(59_000)
    assert.strictEqual(tokens.verify(token), actor)
    assert.equal(standIn.count(INTROSPECTION), 1)
    standIn.revoke(token)
    pass(1_000)
    assert.isUndefined(await tokens.verify(token))
    assert.equal(standIn.count(INTROSPECTION), 2)
  })

  test('a result is cached no longer than the token is valid', async ({ assert, cleanup }) => {
    const pass = later(cleanup)
    const tokens = verifier()
    const token = standIn.mint({ exp: seconds() + 5 })
    assert.isDefined(await tokens.verify(token))
    pass(5_000)
    assert.isUndefined(await tokens.verify(token))
  })

  test('a rejection is cached for five seconds', async ({ assert, cleanup }) => {
    const pass = later(cleanup)
    const tokens = verifier()
    const token = standIn.mint()
    standIn.revoke(token)
    assert.isUndefined(await tokens.verify(token))
    pass(4_900)
    assert.isUndefined(await tokens.verify(token))
    assert.equal(standIn.count(INTROSPECTION), 1)
    pass(200)
    assert.isUndefined(await tokens.verify(token))
    assert.equal(standIn.count(INTROSPECTION), 2)
  })

  test('concurrent requests with one new token are introspected once', async ({ assert }) => {
    const tokens = verifier()
    const token = standIn.mint()
    const actors = await Promise.all(Array.from({ length: 1_000 }, () => tokens.verify(token)))
    assert.isTrue(actors.every((actor) => actor?.id === standIn.ann.id))
    assert.equal(standIn.count(INTROSPECTION), 1)
    assert.equal(standIn.count('/jwks'), 1)
  })

  test('an unavailable provider fails new tokens, but not cached ones', async ({ assert }) => {
    const tokens = verifier()
    const [known, unknown] = [standIn.mint(), standIn.mint()]
    await tokens.verify(known)
    await standIn.goAway()
    assert.isDefined(tokens.verify(known))
    await assert.rejects(async () => tokens.verify(unknown), IdentityUnavailable)
    await standIn.listen()
    assert.isDefined(await tokens.verify(unknown))
  })

  test('any failure of the provider is reported the same way', async ({ assert }) => {
    const broken = externalProvider(standIn)
    broken.introspect = () => Promise.reject(new Error('connect ECONNREFUSED'))
    const failure = await Promise.resolve(new TokenVerifier(broken).verify(standIn.mint())).catch(
      (error) => error
    )
    assert.instanceOf(failure, IdentityUnavailable)
    assert.match(failure.cause.message, /ECONNREFUSED/)
  })

  test('the cache is limited, separately for accepted tokens', async ({ assert }) => {
    const tokens = verifier({ capacity: 3 })
    const first = standIn.mint()
    const actor = await tokens.verify(first)
    for (let n = 0; n < 20; n++) {
      await tokens.verify(`forged-${n}`)
    }
    assert.strictEqual(tokens.verify(first), actor)
    for (let n = 0; n < 6; n++) {
      await tokens.verify(standIn.mint())
    }
    assert.instanceOf(tokens.verify(first), Promise)
    assert.isDefined(await tokens.verify(first))
  })
})

test.group('Token verification | keys', (group) => {
  group.each.setup(async () => {
    standIn = await StandInProvider.start()
    return () => standIn.goAway()
  })

  test('an unknown key triggers a refresh, for new realms', async ({ assert }) => {
    const tokens = verifier()
    await tokens.verify(standIn.mint())
    standIn.keys.siteA = new SigningKey()
    const young = [standIn.mint(), standIn.mint(), standIn.mint()]
    const actors = await Promise.all(young.map((token) => tokens.verify(token)))
    assert.isTrue(actors.every((actor) => actor?.id === standIn.ann.id))
    assert.equal(standIn.count('/jwks'), 2)
  })

  test('refreshes for unknown keys are rate limited', async ({ assert, cleanup }) => {
    const pass = later(cleanup)
    const tokens = verifier({ distrustMs: 0 })
    await tokens.verify(standIn.mint())
    for (let n = 0; n < 20; n++) {
      assert.isUndefined(
        await tokens.verify(stranger.sign(standIn.claims(), { kid: `made-up-${n}` }))
      )
    }
    assert.equal(standIn.count('/jwks'), 6)
    standIn.keys.siteA = new SigningKey()
    const token = standIn.mint()
    assert.isUndefined(await tokens.verify(token))
    pass(20_000)
    assert.isDefined(await tokens.verify(token))
    assert.equal(standIn.count('/jwks'), 7)
  })

  test('known keys stay usable while the provider is unavailable', async ({ assert, cleanup }) => {
    const pass = later(cleanup)
    const tokens = verifier()
    await tokens.verify(standIn.mint())
    pass(60_000)
    await standIn.goAway()
    await assert.rejects(
      async () => tokens.verify(stranger.sign(standIn.claims())),
      IdentityUnavailable
    )
    await standIn.listen()
    assert.isDefined(await tokens.verify(standIn.mint({ exp: clock.now() / 1000 + 60 })))
  })
})
