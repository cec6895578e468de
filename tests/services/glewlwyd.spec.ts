import { test } from '@japa/runner'

import { IdentityUnavailable } from '#kernel/failures'
import type { ProviderSettings } from '#auth/external/external_provider'
import { RemoteProvider } from '#auth/external/remote_provider'
import { TokenVerifier } from '#auth/verification/token_verifier'
import { serveOpenId, startGlewlwyd, type OpenIdSite } from '#tests/services/servers/glewlwyd'
import type { RealServer } from '#tests/services/servers/real_server'

const silent = { info() {}, warn() {} }

test.group('Glewlwyd as a plain OpenID Connect provider', (group) => {
  let server: RealServer
  let site: OpenIdSite
  const opened: RemoteProvider[] = []

  group.setup(async () => {
    server = await startGlewlwyd()
    console.log(`Glewlwyd was ready in ${server.readyInMs} ms`)
    site = await serveOpenId(server.url)
    return async () => {
      await Promise.all(opened.map((provider) => provider.close()))
      await server.stop()
    }
  })

  const tokens = (introspectionAuth: ProviderSettings['introspectionAuth'] = 'basic') => {
    const provider = new RemoteProvider({
      url: site.url,
      credentials: site.client,
      realm: 'master',
      introspectionAuth,
      claims: {
        realmId: 'realm_id',
        realmName: 'realm_name',
        kind: 'sub_kind',
        permissions: 'permissions',
      },
      redisUrl: undefined,
      logger: silent,
    })
    opened.push(provider)
    return { provider, verifier: new TokenVerifier(provider, { opaqueTokens: true, trustMs: 0 }) }
  }

  const asClient = (path: string, form: Record<string, string>) => {
    const { clientId, clientSecret } = site.client
    return fetch(site.url + path, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
      body: new URLSearchParams(form),
    })
  }

  const logIn = async () => {
    const { username, password } = site.user
    const form = { grant_type: 'password', username, password, scope: 'hub' }
    const response = await asClient('/token', form)
    return (await response.json()) as { access_token: string; refresh_token: string }
  }

  test('a user is known with realm and permissions', async ({ assert }) => {
    const { verifier } = tokens()
    const actor = await verifier.verify((await logIn()).access_token)
    assert.containsSubset(actor, {
      kind: 'user',
      name: 'ann',
      realmId: site.user.realm_id,
      realmName: site.user.realm_name,
      permissions: new Set(site.user.permissions),
    })
    assert.isAbove(actor!.expiresAt * 1000, Date.now())
  })

  test('a client is known as one', async ({ assert }) => {
    const response = await asClient('/token', { grant_type: 'client_credentials', scope: 'hub' })
    const { access_token: token } = (await response.json()) as { access_token: string }
    const actor = await tokens().verifier.verify(token)
    assert.containsSubset(actor, { kind: 'client', id: site.client.clientId })
    assert.isEmpty(actor!.permissions)
  })

  test('a changed, a refresh and a forged token have no owner', async ({ assert }) => {
    const { verifier } = tokens()
    const { access_token: token, refresh_token: refresh } = await logIn()
    const [header, claims, signature] = token.split('.')
    const changed = Buffer.from(claims!, 'base64url').toString().replace('site-a', 'master')
    const forged = [header, Buffer.from(changed).toString('base64url'), signature].join('.')
    assert.isUndefined(await verifier.verify(forged))
    assert.isUndefined(await verifier.verify(refresh))
    assert.isUndefined(await verifier.verify('made-up'))
  })

  test('a revoked token no longer has an owner', async ({ assert }) => {
    const { verifier } = tokens()
    const { access_token: token } = await logIn()
    assert.isDefined(await verifier.verify(token))
    const form = { token, token_type_hint: 'access_token' }
    assert.equal((await asClient('/revoke', form)).status, 200)
    assert.isUndefined(await verifier.verify(token))
  })

  test('nodes and analyses cannot have clients there', async ({ assert }) => {
    const { provider } = tokens()
    await provider.metadata()
    assert.isUndefined(provider.clients)
    assert.isUndefined(provider.people)
  })

  test('without saying who asks, nothing is learned, and the log says what to set', async ({
    assert,
  }) => {
    const { verifier } = tokens('none')
    const { access_token: token } = await logIn()
    const failure = await Promise.resolve(verifier.verify(token)).catch((error) => error)
    assert.instanceOf(failure, IdentityUnavailable)
    assert.include(failure.cause.message, 'IDENTITY_INTROSPECTION_AUTH')
  })

  test('while the provider does not answer, callers get a retry error', async ({ assert }) => {
    const { verifier } = tokens()
    const { access_token: token } = await logIn()
    await verifier.verify(token)
    await server.pause()
    try {
      await assert.rejects(async () => verifier.verify(token), IdentityUnavailable)
    } finally {
      server.resume()
    }
    assert.isDefined(await verifier.verify(token))
  })
})
