import { test } from '@japa/runner'

import { providerUrl } from '#identity/embedded/addresses'
import { seedIdentity } from '#identity/embedded/seeds'
import { at } from '#tests/helpers/application'
import {
  authorizationQuery,
  exchange,
  logIn,
  newVerifier,
  Visitor,
  type Application,
} from './browsing.js'
import { makeClient, makeUser, PASSWORD } from './provider.js'

const CALLBACK = 'https://app.test/callback'
const GOODBYE = 'https://app.test/goodbye'

async function application(): Promise<Application> {
  const { id } = await makeClient({ redirectUri: CALLBACK, postLogoutRedirectUri: GOODBYE })
  return { id, redirectUri: CALLBACK }
}

/** A visitor who has signed in, and the ID token that the application got. */
async function signedIn(app: Application) {
  const visitor = new Visitor()
  const { verifier, challenge } = newVerifier()
  const user = await makeUser()
  const request = authorizationQuery(app, challenge, { scope: 'openid' })
  const login = { username: user.name, password: PASSWORD, realm: 'master' }
  const { location } = await logIn(visitor, request, login)
  const { body } = await exchange(app, location!.searchParams.get('code')!, verifier)
  return { visitor, user, idToken: body.id_token as string }
}

/** Whether the provider would offer to continue without a password. */
async function isSignedIn(visitor: Visitor, app: Application): Promise<boolean> {
  const { text } = await visitor.get(authorizationQuery(app, newVerifier().challenge))
  return !text.includes('name="password"')
}

test.group('Signing out at the provider', (group) => {
  group.setup(seedIdentity)

  test('the sign-out is announced', async ({ assert }) => {
    for (const path of ['', '/realms/master']) {
      const answer = await fetch(at('identity', `${path}/.well-known/openid-configuration`))
      const { end_session_endpoint: address } = (await answer.json()) as Record<string, string>
      assert.equal(address, `${providerUrl()}/logout`)
    }
  })

  test('the sign-out happens at once where the client names the user, and leads back to it', async ({
    assert,
  }) => {
    const app = await application()
    for (const way of ['open', 'submit'] as const) {
      const { visitor, idToken } = await signedIn(app)
      assert.isTrue(await isSignedIn(visitor, app))

      const page = await visitor[way]('/logout', {
        id_token_hint: idToken,
        post_logout_redirect_uri: GOODBYE,
        state: 'some state',
      })

      assert.equal(page.status, 303)
      assert.equal(page.location!.href, `${GOODBYE}?state=some+state`)
      assert.isFalse(await isSignedIn(visitor, app))
    }
  })

  test('the sign-out needs confirmation without a named user, and with another user or a forged token', async ({
    assert,
  }) => {
    const app = await application()
    const { idToken: ofAnother } = await signedIn(app)
    const { visitor, user, idToken } = await signedIn(app)
    const forged = idToken.replace(/[^.]+$/, (signature) =>
      signature.split('').toReversed().join('')
    )
    for (const hint of [undefined, ofAnother, forged]) {
      const page = await visitor.open('/logout', {
        client_id: app.id,
        ...(hint !== undefined && { id_token_hint: hint }),
      })
      assert.equal(page.status, 200)
      assert.include(page.text, `${user.name}</strong>`)
      assert.equal(page.headers.get('cache-control'), 'no-store')
      assert.isTrue(await isSignedIn(visitor, app))
    }
  })

  test('the sign-out of a user after confirmation happens with the form of this browser only', async ({
    assert,
  }) => {
    const app = await application()
    const [one, other] = [await signedIn(app), await signedIn(app)]
    const query = { client_id: app.id, post_logout_redirect_uri: GOODBYE }
    const { hidden } = await other.visitor.open('/logout', query)

    const foreign = await one.visitor.submit('/logout', hidden)
    assert.equal(foreign.status, 200)
    assert.isTrue(await isSignedIn(one.visitor, app))

    const own = await one.visitor.submit('/logout', foreign.hidden)
    assert.equal(own.location!.href, GOODBYE)
    assert.isFalse(await isSignedIn(one.visitor, app))
    assert.isTrue(await isSignedIn(other.visitor, app))
  })

  test('the sign-out leads nowhere but to an address that the client registered for it', async ({
    assert,
  }) => {
    const app = await application()
    const { visitor, idToken } = await signedIn(app)
    for (const [parameters, because] of [
      [{ post_logout_redirect_uri: GOODBYE }, 'no client'],
      [{ id_token_hint: idToken, post_logout_redirect_uri: CALLBACK }, 'an address of logins'],
      [{ id_token_hint: idToken, post_logout_redirect_uri: 'https://evil.test/' }, 'foreign'],
      [{ id_token_hint: idToken, client_id: 'admin-console' }, 'another client than the token'],
    ] as const) {
      const page = await visitor.open('/logout', parameters)
      assert.equal(page.status, 400, because)
      assert.isTrue(await isSignedIn(visitor, app), because)
    }
  })

  test('without a login says so', async ({ assert }) => {
    const page = await new Visitor().open('/logout', {})

    assert.equal(page.status, 200)
    assert.include(page.text, 'You are signed out')
  })
})
