import { test } from '@japa/runner'
import { decodeJwt } from 'jose'

import { issuerOf } from '#identity/embedded/addresses'
import { seedIdentity } from '#identity/embedded/seeds'
import type { SecurityEvent } from '#audit/security_event'
import { noteGatheredRefusals, useSecuritySink } from '#tests/helpers/container'
import { overrideClock } from '#kernel/clock'
import {
  authorizationQuery,
  exchange,
  logIn,
  newVerifier,
  Visitor,
  type Application,
} from './browsing.js'
import {
  ADMIN,
  change,
  introspect,
  make,
  makeClient,
  makeUser,
  PASSWORD,
  refresh,
  remove,
  unique,
} from './provider.js'

const SECRET = 'a secret of a client'
const CALLBACK = 'https://app.test/callback'

async function application(traits: Record<string, unknown> = {}): Promise<Application> {
  const { id } = await makeClient({ redirectUri: CALLBACK, ...traits })
  return { id, redirectUri: CALLBACK, secret: traits.secret as string | undefined }
}

/** A new authorization code with its request. */
async function withCode(app: Application, more: Record<string, string> = {}) {
  const visitor = new Visitor()
  const { verifier, challenge } = newVerifier()
  const user = await makeUser()
  const login = { username: user.name, password: PASSWORD, realm: 'master' }
  const { location } = await logIn(visitor, authorizationQuery(app, challenge, more), login)
  return { visitor, user, verifier, code: location!.searchParams.get('code')! }
}

const refusal = (location: URL | undefined) => location?.searchParams.get('error')

test.group('Login with a browser', (group) => {
  group.setup(seedIdentity)

  test('the login redirects to the client with a code that is exchanged for tokens', async ({
    assert,
  }) => {
    for (const app of [await application(), await application({ secret: SECRET })]) {
      const visitor = new Visitor()
      const { verifier, challenge } = newVerifier()
      const page = await logIn(visitor, authorizationQuery(app, challenge), {
        ...ADMIN,
        realm: 'master',
      })
      assert.equal(page.status, 303)
      assert.equal(page.location!.origin + page.location!.pathname, CALLBACK)
      assert.equal(page.location!.searchParams.get('state'), 'some state')
      assert.equal(page.location!.searchParams.get('iss'), issuerOf('master'))
      const { status, body } = await exchange(
        app,
        page.location!.searchParams.get('code')!,
        verifier
      )
      assert.equal(status, 200)
      assert.containSubset(await introspect(body.access_token), {
        active: true,
        sub_name: 'admin',
        client_id: app.id,
      })
      assert.notProperty(body, 'id_token')
      const renewed = await refresh(body.refresh_token, {
        client_id: app.id,
        ...(app.secret && { client_secret: app.secret }),
      })
      assert.equal(renewed.status, 200)
    }
  })

  test('the login shows an OpenID Connect client who signed in', async ({ assert }) => {
    const app = await application()
    const { user, verifier, code } = await withCode(app, { scope: 'openid', nonce: 'some nonce' })
    const { body } = await exchange(app, code, verifier)
    assert.equal(body.scope, 'global openid')
    assert.containSubset(decodeJwt(body.id_token), {
      iss: issuerOf('master'),
      sub: user.id,
      aud: app.id,
      nonce: 'some nonce',
      preferred_username: user.name,
    })
    assert.isFalse((await introspect(body.id_token)).active)
  })

  test('the login shows one page that no other site can use', async ({ assert }) => {
    const app = await application()
    const { headers, text } = await new Visitor().get(
      authorizationQuery(app, newVerifier().challenge)
    )
    assert.equal(headers.get('x-frame-options'), 'DENY')
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.equal(headers.get('referrer-policy'), 'no-referrer')
    const policy = headers.get('content-security-policy')!
    assert.include(policy, "frame-ancestors 'none'")
    assert.match(policy, /; form-action 'self' https:\/\/app\.test$/)
    assert.notInclude(policy, 'script-src')
    assert.notInclude(text, '<script')
    const cookie = headers.get('set-cookie')!
    assert.match(cookie, /^hub_login=[\w-]{43}; Path=\/auth; HttpOnly; SameSite=Lax$/i)
  })

  test('the login shows what was wrong, keeps the name and forgets the password', async ({
    assert,
  }) => {
    const app = await application()
    const visitor = new Visitor()
    const login = { username: 'ad"min', password: 'wrong-password', realm: 'master' }
    const page = await logIn(visitor, authorizationQuery(app, newVerifier().challenge), login)
    assert.equal(page.status, 400)
    assert.match(page.text, /role="alert"/)
    assert.include(page.text, 'value="ad&#34;min"')
    assert.notInclude(page.text, 'wrong-password')
  })

  test('the login is closed after ten wrong passwords', async ({ assert }) => {
    const app = await application()
    const user = await makeUser()
    const visitor = new Visitor()
    const { hidden } = await visitor.get(authorizationQuery(app, newVerifier().challenge))
    const attempt = (password: string) =>
      visitor.post({ ...hidden, username: user.name, password, realm: 'master', action: 'sign_in' })
    for (let count = 1; count <= 10; count++) {
      assert.equal((await attempt('wrong password')).status, 400)
    }
    const page = await attempt(PASSWORD)
    assert.equal(page.status, 429)
    assert.isNotNull(page.headers.get('retry-after'))
    assert.match(page.text, /role="alert"/)
  })

  test('the login requires consent of a signed-in user for another client', async ({ assert }) => {
    const [app, other] = await Promise.all([application(), application()])
    const visitor = new Visitor()
    await logIn(visitor, authorizationQuery(app, newVerifier().challenge), {
      ...ADMIN,
      realm: 'master',
    })
    const { verifier, challenge } = newVerifier()
    const page = await visitor.get(authorizationQuery(other, challenge))
    assert.equal(page.status, 200)
    assert.include(page.text, 'Continue as admin')
    const { location } = await visitor.post({ ...page.hidden, action: 'continue' })
    const { status } = await exchange(other, location!.searchParams.get('code')!, verifier)
    assert.equal(status, 200)
  })

  test('the login can be switched to another account', async ({ assert }) => {
    const app = await application()
    const { visitor, code, verifier } = await withCode(app)
    const before = visitor.cookie
    const page = await visitor.get(authorizationQuery(app, newVerifier().challenge))
    const form = await visitor.post({ ...page.hidden, action: 'switch' })
    assert.include(form.text, 'type="password"')
    assert.notEqual(visitor.cookie, before)
    const again = new Visitor()
    again.cookie = before
    const other = await again.get(authorizationQuery(app, newVerifier().challenge))
    assert.include(other.text, 'type="password"')
    assert.equal((await exchange(app, code, verifier)).body.code, 'invalid_grant')
  })

  test('the login ends when it expires, the password changes or the user is deleted', async ({
    assert,
  }) => {
    const app = await application()
    const [late, changed, gone] = await Promise.all([withCode(app), withCode(app), withCode(app)])
    await change('user', changed.user.id, { password: 'another password' })
    await remove('user', gone.user.id)
    const isSignedIn = async (visitor: Visitor) => {
      const { text } = await visitor.get(authorizationQuery(app, newVerifier().challenge))
      return text.includes('Continue as')
    }
    assert.isTrue(await isSignedIn(late.visitor))
    assert.isFalse(await isSignedIn(changed.visitor))
    assert.isFalse(await isSignedIn(gone.visitor))
    const release = overrideClock({ now: () => Date.now() + 8 * 3_600_000 + 1_000 })
    try {
      assert.isFalse(await isSignedIn(late.visitor))
    } finally {
      release()
    }
  })

  test('honours prompt and max_age', async ({ assert }) => {
    const app = await application()
    const { visitor } = await withCode(app)
    const shown = async (more: Record<string, string>) =>
      visitor.get(authorizationQuery(app, newVerifier().challenge, more))
    assert.include((await shown({ prompt: 'login' })).text, 'type="password"')
    assert.include((await shown({ max_age: '0' })).text, 'type="password"')
    assert.include((await shown({ max_age: '60' })).text, 'Continue as')
    const silent = await shown({ prompt: 'none' })
    assert.equal(refusal(silent.location), 'interaction_required')
    const stranger = await new Visitor().get(
      authorizationQuery(app, newVerifier().challenge, { prompt: 'none' })
    )
    assert.equal(refusal(stranger.location), 'login_required')
  })

  test('the login takes users of any realm for clients of the master realm, for others only their own', async ({
    assert,
  }) => {
    const realm = await make('realm', { name: unique('realm') })
    const user = await makeUser({ realmId: realm.id })
    const login = { username: user.name, password: PASSWORD, realm: realm.name }
    const [everywhere, inside] = await Promise.all([
      application(),
      application({ realmId: realm.id }),
    ])
    const { challenge } = newVerifier()
    const page = await logIn(new Visitor(), authorizationQuery(everywhere, challenge), login)
    assert.equal(page.location!.searchParams.get('iss'), issuerOf(realm.name))
    const own = await new Visitor().get(authorizationQuery(inside, challenge))
    assert.include(own.text, `Realm: ${realm.name}`)
    const foreign = await logIn(new Visitor(), authorizationQuery(inside, challenge), {
      ...ADMIN,
      realm: 'master',
    })
    assert.equal(foreign.status, 400)
    const named = await new Visitor().get(
      authorizationQuery(inside, challenge, { realm_name: 'master' })
    )
    assert.equal(refusal(named.location), 'invalid_request')
    const signedIn = new Visitor()
    await logIn(signedIn, authorizationQuery(everywhere, challenge), { ...ADMIN, realm: 'master' })
    assert.include(
      (await signedIn.get(authorizationQuery(inside, challenge))).text,
      'type="password"'
    )
  })
})

test.group('Attacks on the login', (group) => {
  group.setup(seedIdentity)

  test('the login never redirects to an address that is not registered', async ({ assert }) => {
    const app = await application({ redirectUri: `${CALLBACK}, http://localhost:8080/cb` })
    const { challenge } = newVerifier()
    const addresses = [
      ...['https://evil.test/callback', `${CALLBACK}/`, `${CALLBACK}?a=b`, `${CALLBACK}#x`],
      ...['https://app.test', 'https://app.test/Callback', 'http://app.test/callback'],
      ...['https://app.test.evil.test/callback', 'https://app.test@evil.test/callback'],
      ...[`${CALLBACK}, http://localhost:8080/cb`, '//evil.test', 'javascript:alert(1)', ''],
    ]
    for (const redirectUri of addresses) {
      const query = authorizationQuery({ ...app, redirectUri }, challenge)
      const page = await new Visitor().get(query)
      assert.equal(page.status, 400, redirectUri)
      assert.isUndefined(page.location, redirectUri)
      assert.match(page.text, /role="alert"/)
      const sent = await new Visitor().post({ ...query, ...ADMIN, realm: 'master' })
      assert.isUndefined(sent.location, redirectUri)
    }
    const twice = Object.entries(authorizationQuery(app, challenge))
    const page = await new Visitor().get([...twice, ['redirect_uri', 'https://evil.test']])
    assert.isUndefined(page.location)
    const second = { ...app, redirectUri: 'http://localhost:8080/cb' }
    assert.equal((await new Visitor().get(authorizationQuery(second, challenge))).status, 200)
  })

  test('the login never redirects for a missing or inactive client', async ({ assert }) => {
    const idle = await application({ active: false })
    const none = await application({ redirectUri: null })
    const { challenge } = newVerifier()
    for (const id of [idle.id, none.id, unique('nobody'), '', '\u0000']) {
      const page = await new Visitor().get(
        authorizationQuery({ id, redirectUri: CALLBACK }, challenge)
      )
      assert.equal(page.status, 400)
      assert.isUndefined(page.location)
    }
  })

  test('a request that is wrong is answered to the client, with its state', async ({ assert }) => {
    const app = await application()
    const challenge = newVerifier().challenge
    const cases: [Record<string, string>, string][] = [
      [{ code_challenge: '' }, 'invalid_request'],
      [{ code_challenge_method: '' }, 'invalid_request'],
      [{ code_challenge_method: 'plain' }, 'invalid_request'],
      [{ code_challenge: 'too-short' }, 'invalid_request'],
      [{ response_type: 'token' }, 'unsupported_response_type'],
      [{ response_type: 'code token' }, 'unsupported_response_type'],
      [{ response_type: '' }, 'invalid_request'],
      [{ response_mode: 'fragment' }, 'invalid_request'],
      [{ nonce: 'x'.repeat(2_000) }, 'invalid_request'],
      [{ max_age: '-1' }, 'invalid_request'],
      [{ realm_name: unique('nowhere') }, 'invalid_request'],
    ]
    for (const [wrong, error] of cases) {
      const { status, location } = await new Visitor().get(
        authorizationQuery(app, challenge, wrong)
      )
      assert.equal(status, 303, JSON.stringify(wrong))
      assert.equal(location!.origin + location!.pathname, CALLBACK)
      assert.equal(refusal(location), error)
      assert.equal(location!.searchParams.get('state'), 'some state')
    }
    const fields = Object.entries(authorizationQuery(app, challenge))
    const twice = await new Visitor().get([...fields, ['scope', 'a'], ['scope', 'b']])
    assert.equal(refusal(twice.location), 'invalid_request')
    const closed = await application({ grantTypes: 'password' })
    const refused = await new Visitor().get(authorizationQuery(closed, challenge))
    assert.equal(refusal(refused.location), 'unauthorized_client')
  })

  test('a form of another browser signs no user in', async ({ assert }) => {
    const app = await application()
    const { challenge } = newVerifier()
    const victim = new Visitor()
    const { hidden } = await new Visitor().get(authorizationQuery(app, challenge))
    const fields = { ...hidden, ...ADMIN, realm: 'master', action: 'sign_in' }
    const forms = [fields, { ...fields, form: '' }, { ...fields, form: 'x' }]
    for (const form of forms) {
      const page = await victim.post(form)
      assert.equal(page.status, 400)
      assert.isUndefined(page.location)
    }
    const own = await victim.get(authorizationQuery(app, challenge))
    const page = await victim.post({ ...fields, form: own.hidden.form! })
    assert.equal(page.status, 303)
  })

  test('a browser that is signed in cannot be made to answer by another site', async ({
    assert,
  }) => {
    const app = await application()
    const { visitor } = await withCode(app)
    const request = authorizationQuery(app, newVerifier().challenge)
    for (const action of ['continue', 'switch', 'sign_in', '']) {
      const page = await visitor.post({ ...request, action })
      assert.equal(page.status, 400, action)
      assert.isUndefined(page.location)
    }
    assert.include((await visitor.get(request)).text, 'Continue as')
  })

  test('a login replaces the cookie of the browser', async ({ assert }) => {
    const app = await application()
    const planted = 'A'.repeat(43)
    const victim = new Visitor()
    victim.cookie = planted
    const request = authorizationQuery(app, newVerifier().challenge)
    await logIn(victim, request, { ...ADMIN, realm: 'master' })
    assert.notEqual(victim.cookie, planted)
    const attacker = new Visitor()
    attacker.cookie = planted
    assert.include((await attacker.get(request)).text, 'type="password"')
  })

  test('a code is valid once, and its tokens end when it is reused', async ({
    assert,
    cleanup,
  }) => {
    await noteGatheredRefusals()
    const noted: SecurityEvent[] = []
    cleanup(useSecuritySink({ record: async (event) => void noted.push(event) }))
    const app = await application()
    const { code, verifier, user } = await withCode(app)
    const { body } = await exchange(app, code, verifier)
    assert.isTrue((await introspect(body.access_token)).active)
    const again = await exchange(app, code, verifier)
    assert.equal(again.body.code, 'invalid_grant')
    assert.isFalse((await introspect(body.access_token)).active)
    assert.equal((await refresh(body.refresh_token, { client_id: app.id })).status, 400)
    const reused = noted.filter(({ type }) => type === 'authorizationCodeReused')
    assert.lengthOf(reused, 1)
    const { id, realmId } = user
    assert.containSubset(reused, [{ subject: 'user', id, realmId }])
    assert.notInclude(JSON.stringify(noted), code)
  })

  test('concurrent exchanges of a code end all its tokens', async ({ assert }) => {
    const app = await application()
    const { code, verifier } = await withCode(app)
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => exchange(app, code, verifier))
    )
    const served = answers.filter(({ status }) => status === 200)
    assert.isAtMost(served.length, 1)
    for (const { body } of served) {
      assert.isFalse((await introspect(body.access_token)).active)
    }
  })

  test('a code is valid for a minute and for its own request', async ({ assert }) => {
    const [app, other] = await Promise.all([
      application({ redirectUri: `${CALLBACK},https://app.test/other` }),
      application({ secret: SECRET }),
    ])
    const { verifier: foreign } = newVerifier()
    const attempts: Record<
      string,
      (code: string, verifier: string) => ReturnType<typeof exchange>
    > = {
      'another verifier': (code) => exchange(app, code, foreign),
      'a verifier that is too short': (code) => exchange(app, code, 'x'),
      'the challenge': (code, verifier) => exchange(app, code, `${verifier}=`),
      'another address': (code, verifier) =>
        exchange({ ...app, redirectUri: 'https://app.test/other' }, code, verifier),
      'another client': (code, verifier) => exchange(other, code, verifier),
    }
    for (const [name, attempt] of Object.entries(attempts)) {
      const { code, verifier } = await withCode(app)
      assert.equal((await attempt(code, verifier)).body.code, 'invalid_grant', name)
      assert.equal((await exchange(app, code, verifier)).body.code, 'invalid_grant', name)
    }
    const { code, verifier } = await withCode(app)
    const release = overrideClock({ now: () => Date.now() + 61_000 })
    try {
      assert.equal((await exchange(app, code, verifier)).body.code, 'invalid_grant')
    } finally {
      release()
    }
  })

  test('a code is exchanged only with a verifier, and by a client that proves who it is', async ({
    assert,
  }) => {
    const app = await application({ secret: SECRET })
    const { code, verifier } = await withCode(app)
    assert.equal((await exchange(app, code, '')).body.code, 'invalid_request')
    const guessed = await exchange({ ...app, secret: 'wrong secret' }, code, verifier)
    assert.equal(guessed.body.code, 'invalid_client')
    const silent = await exchange({ ...app, secret: undefined }, code, verifier)
    assert.equal(silent.body.code, 'invalid_client')
    assert.equal((await exchange(app, code, verifier)).status, 200)
  })
})
