import { createHmac } from 'node:crypto'

import { test } from '@japa/runner'

import { IdentityUnavailable } from '#http/failures'
import { TokenVerifier, type VerifierOptions } from '#identity/verification/token_verifier'
import { clock, holdClock } from '#runtime/clock'

import { SigningKey, unsigned } from './stand_in/signing_key.js'
import { StandInProvider } from './stand_in/stand_in_provider.js'
import { externalProvider } from './subjects.js'

const INTROSPECTION = '/token/introspect'
const stranger = new SigningKey()

let standIn: StandInProvider

function verifier(options?: VerifierOptions) {
  return new TokenVerifier(externalProvider(standIn), options)
}

/** Lets time pass until the test ends. */
function later(cleanup: (undo: () => void) => void) {
  let offset = 0
  const startedAt = Date.now()
  cleanup(holdClock({ now: () => startedAt + offset }))
  return (ms: number) => void (offset += ms)
}

const seconds = () => Math.floor(Date.now() / 1000)

const FORGERIES: Record<string, () => string> = {
  'that is not signed': () => `${unsigned({ alg: 'none', typ: 'JWT' }, standIn.claims())}.`,
  'that is not signed and carries a signature all the same': () => {
    const [, , signature] = standIn.mint().split('.')
    return `${unsigned({ alg: 'none', kid: standIn.keys.siteA.id }, standIn.claims())}.${signature}`
  },
  'that is signed with the public key as a shared secret': () => {
    const { id, pem } = standIn.keys.siteA
    const signed = unsigned({ alg: 'HS256', typ: 'JWT', kid: id }, standIn.claims())
    return `${signed}.${createHmac('sha256', pem).update(signed).digest('base64url')}`
  },
  'whose claims were changed after it was signed': () => {
    const [header, , signature] = standIn.mint().split('.')
    const claims = unsigned({}, { ...standIn.claims(), sub: 'somebody-else' }).split('.')[1]
    return `${header}.${claims}.${signature}`
  },
  'that another key signed under the name of a known one': () =>
    stranger.sign(standIn.claims(), { kid: standIn.keys.siteA.id }),
  'that a key of another provider signed': () => stranger.sign(standIn.claims()),
  'that brings the key it is to be checked with': () =>
    stranger.sign(standIn.claims(), { jwk: stranger.jwk, jku: `${standIn.url}/jwks` }),
  'of another issuer': () => standIn.mint({ iss: 'https://elsewhere.example' }),
  'of an issuer that only begins like ours': () =>
    standIn.mint({ iss: `${standIn.url}.elsewhere.example/realms/site-a` }),
  'that is older than its time': () => standIn.mint({ exp: seconds() - 10 }),
  'that is not good yet': () => standIn.mint({ nbf: seconds() + 60 }),
  'that never ends': () => standIn.mint({ exp: undefined }),
  'of nobody': () => standIn.mint({ sub: undefined }),
  'that is good for refreshing only': () => standIn.mint({ kind: 'refresh_token' }),
  'that only says who somebody is': () => standIn.mint({ kind: 'id_token' }),
  'that is bound to a certificate': () => standIn.mint({ cnf: { 'x5t#S256': 'abc' } }),
  'of a type that is no access token': () =>
    standIn.keys.siteA.sign(standIn.claims(), { typ: 'logout+jwt' }),
  'with a condition that is not understood': () =>
    standIn.keys.siteA.sign(standIn.claims(), { 'crit': ['unheard-of'], 'unheard-of': true }),
  'that is no token at all': () => 'nonsense',
  'that only looks like one': () => 'a.b.c',
  'that is longer than any token': () => standIn.mint({ padding: 'x'.repeat(16 * 1024) }),
}

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
      assert.isUndefined(await tokens.verify(forged()))
      assert.equal(standIn.count(INTROSPECTION), before)
      assert.equal((await tokens.verify(standIn.mint()))?.id, standIn.ann.id)
    })

  test('one that is signed with the key of another realm is refused by the provider', async ({
    assert,
  }) => {
    const { id } = standIn.realms.master
    const claims = { ...standIn.claims(), realm_id: id, realm_name: 'master' }
    assert.isUndefined(await verifier().verify(standIn.keys.siteA.sign(claims)))
    assert.isDefined(await verifier().verify(standIn.mint(claims)))
  })

  test('a token only the provider can read is asked about where it makes such tokens', async ({
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

const LIES: Record<string, (honest: Record<string, unknown>) => Record<string, unknown>> = {
  'about somebody else': (honest) => ({ ...honest, sub: 'b7a6b0ba-0000-4000-8000-000000000000' }),
  'about a token with another end': (honest) => ({ ...honest, exp: Number(honest.exp) + 3600 }),
  'about a token of another realm': (honest) => ({ ...honest, realm_id: standIn.realms.master.id }),
  'about another kind of subject': (honest) => ({ ...honest, sub_kind: 'client' }),
  'about a refresh token': (honest) => ({ ...honest, kind: 'refresh_token' }),
  'about a token that is bound to a certificate': (honest) => ({ ...honest, cnf: {} }),
  'that does not say it is active': ({ active, ...honest }) => honest,
  'that says so in words': (honest) => ({ ...honest, active: 'true' }),
  'of a kind of subject nobody knows': (honest) => ({ ...honest, sub_kind: 'wizard' }),
}

test.group('Token verification | what the provider says', (group) => {
  group.each.setup(async () => {
    standIn = await StandInProvider.start()
    return () => standIn.goAway()
  })

  test('makes the actor', async ({ assert }) => {
    const token = standIn.mint({ sub_name: 'ann' })
    assert.deepEqual(await verifier().verify(token), {
      kind: 'user',
      id: standIn.ann.id,
      name: 'ann',
      realmId: standIn.realms.siteA.id,
      realmName: 'site-a',
      clientId: null,
      permissions: new Set(['node_create', 'node_update']),
      expiresAt: seconds() + 900,
    })
  })

  test('is not believed where it is an answer {0}')
    .with(Object.entries(LIES))
    .run(async ({ assert }, [, lie]) => {
      standIn.fail(async (request, answer) => {
        const reply = await answer()
        const isIntrospection = request.url === INTROSPECTION
        return isIntrospection ? { ...reply, body: lie(reply.body as never) } : reply
      })
      const token = standIn.mint()
      assert.isUndefined(await verifier().verify(token))
      standIn.fail()
      assert.isDefined(await verifier().verify(token))
    })

  test('is kept for a minute, and needs no wait in that time', async ({ assert, cleanup }) => {
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

  test('is kept no longer than the token lasts', async ({ assert, cleanup }) => {
    const pass = later(cleanup)
    const tokens = verifier()
    const token = standIn.mint({ exp: seconds() + 5 })
    assert.isDefined(await tokens.verify(token))
    pass(5_000)
    assert.isUndefined(await tokens.verify(token))
  })

  test('is kept for five seconds where it is a refusal', async ({ assert, cleanup }) => {
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

  test('is asked for once, however many requests come with one new token', async ({ assert }) => {
    const tokens = verifier()
    const token = standIn.mint()
    const actors = await Promise.all(Array.from({ length: 1_000 }, () => tokens.verify(token)))
    assert.isTrue(actors.every((actor) => actor?.id === standIn.ann.id))
    assert.equal(standIn.count(INTROSPECTION), 1)
    assert.equal(standIn.count('/jwks'), 1)
  })

  test('is needed for a token nobody asked about, and not for one that is known', async ({
    assert,
  }) => {
    const tokens = verifier()
    const [known, unknown] = [standIn.mint(), standIn.mint()]
    await tokens.verify(known)
    await standIn.goAway()
    assert.isDefined(tokens.verify(known))
    await assert.rejects(async () => tokens.verify(unknown), IdentityUnavailable)
    await standIn.listen()
    assert.isDefined(await tokens.verify(unknown))
  })

  test('is missed in the same way, whatever kept it away', async ({ assert }) => {
    const broken = externalProvider(standIn)
    broken.introspect = () => Promise.reject(new Error('connect ECONNREFUSED'))
    const failure = await Promise.resolve(new TokenVerifier(broken).verify(standIn.mint())).catch(
      (error) => error
    )
    assert.instanceOf(failure, IdentityUnavailable)
    assert.match(failure.cause.message, /ECONNREFUSED/)
  })

  test('is forgotten where too many others were asked about, accepted tokens apart', async ({
    assert,
  }) => {
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

  test('are read again for a key that is not known, once a minute', async ({ assert, cleanup }) => {
    const pass = later(cleanup)
    const tokens = verifier({ distrustMs: 0 })
    await tokens.verify(standIn.mint())
    for (let n = 0; n < 20; n++) {
      assert.isUndefined(
        await tokens.verify(stranger.sign(standIn.claims(), { kid: `made-up-${n}` }))
      )
    }
    assert.equal(standIn.count('/jwks'), 1)
    standIn.keys.siteA = new SigningKey()
    const token = standIn.mint()
    assert.isUndefined(await tokens.verify(token))
    pass(60_000)
    assert.isDefined(await tokens.verify(token))
    assert.equal(standIn.count('/jwks'), 2)
  })

  test('that are known do while the provider cannot be asked for others', async ({
    assert,
    cleanup,
  }) => {
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
