import { test } from '@japa/runner'

import { issuerOf, providerUrl } from '#identity/embedded/addresses'
import { seedIdentity } from '#identity/embedded/seeds'
import { at } from '#tests/helpers/application'
import { Visitor } from './browsing.js'
import { ADMIN, make, makeClient, makeUser, PASSWORD, unique } from './provider.js'

const SECRET = 'a secret of a client'
const CALLBACK = 'https://app.test/callback'

/** A certified client that knows only the issuer. Its types are used if it is installed. */
const foreign: any = await import('openid-client' as string).catch(() => undefined)

/** Maps the provider's addresses to the port of this test. */
const reach = (url: string, options: RequestInit) =>
  fetch(url.replace(providerUrl(), at('identity', '')), options)

function discover(
  realm: string,
  id: string,
  secret: string | undefined,
  authentication: unknown
): Promise<any> {
  return foreign.discovery(new URL(issuerOf(realm)), id, secret, authentication, {
    execute: [foreign.allowInsecureRequests, foreign.enableNonRepudiationChecks],
    [foreign.customFetch]: reach,
  })
}

async function logIn(url: URL, login: Record<string, string>): Promise<URL> {
  const visitor = new Visitor()
  const { hidden } = await visitor.get(Object.fromEntries(url.searchParams))
  const { location } = await visitor.post({ ...hidden, ...login, action: 'sign_in' })
  return location!
}

test.group('A foreign OpenID Connect client', (group) => {
  group.setup(seedIdentity)
  group.tap((one) => one.skip(!foreign, 'openid-client is not installed'))

  for (const method of ['none', 'secret_basic', 'secret_post']) {
    test(`a foreign client finds its way from the issuer to all kinds of answers, with ${method}`, async ({
      assert,
    }) => {
      const secret = method === 'none' ? undefined : SECRET
      const { id } = await makeClient({ redirectUri: CALLBACK, ...(secret && { secret }) })
      const user = await makeUser({ email: 'ada@b.test', firstName: 'Ada' })
      const authentication = {
        none: () => foreign.None(),
        secret_basic: () => foreign.ClientSecretBasic(SECRET),
        secret_post: () => foreign.ClientSecretPost(SECRET),
      }[method]!
      const config = await discover('master', id, secret, authentication())
      const verifier = foreign.randomPKCECodeVerifier()
      const checks = { expectedState: foreign.randomState(), expectedNonce: foreign.randomNonce() }
      const url = foreign.buildAuthorizationUrl(config, {
        redirect_uri: CALLBACK,
        scope: 'openid profile email',
        code_challenge: await foreign.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state: checks.expectedState,
        nonce: checks.expectedNonce,
      })
      assert.equal(url.searchParams.get('realm_name'), 'master')
      const location = await logIn(url, { username: user.name, password: PASSWORD })
      const tokens = await foreign.authorizationCodeGrant(config, location, {
        ...checks,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      })
      assert.containSubset(tokens.claims(), { sub: user.id, preferred_username: user.name })

      const userInfo = await foreign.fetchUserInfo(config, tokens.access_token, user.id)
      assert.containSubset(userInfo, { given_name: 'Ada', email: 'ada@b.test' })
      const renewed = await foreign.refreshTokenGrant(config, tokens.refresh_token)
      const live = await foreign.tokenIntrospection(config, renewed.access_token)
      assert.containSubset(live, { active: true, sub: user.id, client_id: id })
      await foreign.tokenRevocation(config, renewed.refresh_token)
      const dead = await foreign.tokenIntrospection(config, renewed.access_token)
      assert.isFalse(dead.active)
      const stolen = await foreign.refreshTokenGrant(config, tokens.refresh_token).catch(String)
      assert.include(stolen, 'ResponseBodyError')
    })
  }

  test('a foreign client gets tokens of its own', async ({ assert }) => {
    const { id } = await makeClient({ secret: SECRET })
    const config = await discover('master', id, SECRET, foreign.ClientSecretBasic(SECRET))
    const { access_token: accessToken } = await foreign.clientCredentialsGrant(config)
    const live = await foreign.tokenIntrospection(config, accessToken)
    assert.containSubset(live, { active: true, sub: id, sub_kind: 'client' })
  })

  test('a foreign client serves users of one realm under the issuer of that realm', async ({
    assert,
  }) => {
    const realm = await make('realm', { name: unique('realm') })
    const user = await makeUser({ realmId: realm.id })
    const { id } = await makeClient({ redirectUri: CALLBACK, realmId: realm.id })
    const config = await discover(realm.name, id, undefined, foreign.None())
    const verifier = foreign.randomPKCECodeVerifier()
    const url = foreign.buildAuthorizationUrl(config, {
      redirect_uri: CALLBACK,
      scope: 'openid',
      code_challenge: await foreign.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    })
    const location = await logIn(url, { username: user.name, password: PASSWORD })
    const tokens = await foreign.authorizationCodeGrant(config, location, {
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    })
    assert.equal(tokens.claims().iss, issuerOf(realm.name))
  })

  test('notices an answer that comes from another issuer', async ({ assert }) => {
    const realm = await make('realm', { name: unique('realm') })
    const { id } = await makeClient({ redirectUri: CALLBACK })
    const config = await discover(realm.name, id, undefined, foreign.None())
    const verifier = foreign.randomPKCECodeVerifier()
    const parameters = {
      redirect_uri: CALLBACK,
      code_challenge: await foreign.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }
    const url = foreign.buildAuthorizationUrl(config, parameters)
    url.searchParams.delete('realm_name')
    const location = await logIn(url, { ...ADMIN, realm: 'master' })
    const answer = foreign.authorizationCodeGrant(config, location, { pkceCodeVerifier: verifier })
    await assert.rejects(() => answer)
  })
})
