import { randomUUID } from 'node:crypto'

import { test } from '@japa/runner'

import { failureOf } from '#http/failure_of'
import type { ClientDirectory, IdentityProvider, ProviderChange } from '#auth/provider'
import { TokenVerifier } from '#auth/verification/token_verifier'
import { eventually } from '#tests/helpers/eventually'

/** A driver and what the suite needs to control it. */
export interface ProviderSubject {
  readonly provider: IdentityProvider
  /** The address of the provider, where accounts get their tokens. */
  readonly url: string
  readonly user: { readonly username: string; readonly password: string; readonly realm: string }
  /** Makes the provider reject a token from now on, if it can. */
  revoke?(token: string): Promise<void>
  /** Deactivates a client, if that is impossible with the platform's token. */
  deactivate?(clientId: string): Promise<void>
  stop(): Promise<void>
}

interface ProviderSuiteOptions {
  open: () => Promise<ProviderSubject>
  /** Whether it has clients for others and lists accounts. */
  keepsClients?: boolean
  /** Whether it publishes changes. */
  tells?: boolean
}

const UNKNOWN = '6f1c9a52-0000-4000-8000-000000000000'

/** The tests that every driver of the provider contract passes. */
export function providerSuite(
  driver: string,
  { open, keepsClients = true, tells = false }: ProviderSuiteOptions
): void {
  test.group(`Identity provider | ${driver}`, (group) => {
    let subject: ProviderSubject
    const provider = () => subject.provider

    group.setup(async () => {
      subject = await open()
      return () => subject.stop()
    })

    test('introspects a token of its own', async ({ assert }) => {
      const { access_token: token } = await logIn(subject)
      const introspection = await provider().introspect(token)
      assert.containsSubset(introspection, { active: true, sub_kind: 'user', client_id: null })
      assert.equal(introspection!.realm_name, subject.user.realm)
      assert.equal(introspection!.sub, claimsIn(token).sub)
      assert.equal(introspection!.exp, claimsIn(token).exp)
      assert.isAbove(introspection!.exp * 1000, Date.now())
      assert.isString(introspection!.scope)
    })

    test('the provider rejects anything but its own tokens', async ({ assert }) => {
      const { access_token: token } = await logIn(subject)
      const [header, claims] = token.split('.')
      for (const other of ['', 'nonsense', 'a.b.c', `${header}.${claims}.`, 'x'.repeat(20_000)]) {
        assert.isUndefined(await provider().introspect(other), other.slice(0, 40))
      }
    })

    test('the provider rejects refresh tokens', async ({ assert }) => {
      const { refresh_token: token } = await logIn(subject)
      assert.isString(token)
      assert.isUndefined(await provider().introspect(token!))
    })

    test('the provider rejects a revoked token', async ({ assert }) => {
      const { access_token: token } = await logIn(subject)
      assert.isDefined(await provider().introspect(token))
      await subject.revoke?.(token)
      assert.equal((await provider().introspect(token)) === undefined, subject.revoke !== undefined)
    })

    test('the provider shows the keys and the issuer of its tokens', async ({ assert }) => {
      const { access_token: token } = await logIn(subject)
      const { keys, issuers } = await provider().metadata()
      const header = JSON.parse(Buffer.from(token.split('.')[0]!, 'base64url').toString())
      assert.include(
        keys.map(({ kid }) => kid),
        header.kid
      )
      keys.forEach((key) => assert.notProperty(key, 'd'))
      assert.isTrue(issuers === 'any' || issuers.length > 0)
    })

    test('issues tokens that verification accepts until they are revoked', async ({ assert }) => {
      const { access_token: token, refresh_token: refresh } = await logIn(subject)
      const verifier = new TokenVerifier(provider(), { trustMs: 0 })
      const actor = await verifier.verify(token)
      assert.containsSubset(actor, { kind: 'user', realmName: subject.user.realm })
      assert.isUndefined(await verifier.verify(refresh!))
      await subject.revoke?.(token)
      assert.equal((await verifier.verify(token)) === undefined, subject.revoke !== undefined)
    })

    test('the provider has a token for the platform itself', async ({ assert }) => {
      const token = await provider().ownToken()
      assert.equal(await provider().ownToken(), token)
      assert.equal((await provider().introspect(token))?.sub_kind, 'client')
    })

    test('requests another token for the platform after a rejection', async ({ assert }) => {
      if (!subject.revoke) {
        return
      }
      const token = await provider().ownToken()
      await subject.revoke(token)
      assert.isUndefined(await provider().introspect(token))
      const another = await provider().ownToken()
      assert.notEqual(another, token)
      assert.isDefined(await provider().introspect(another))
    })

    if (!keepsClients) {
      test('the provider has no clients and lists no users', ({ assert }) => {
        assert.isUndefined(provider().clients)
        assert.isUndefined(provider().people)
      })
      return
    }

    const clients = () => provider().clients!
    const ownRealm = async () =>
      (await provider().introspect(await provider().ownToken()))!.realm_id!

    test('the provider creates a client once, however often it is called', async ({ assert }) => {
      const wanted = { name: randomUUID(), realmId: await ownRealm() }
      const answers = await Promise.all(Array.from({ length: 8 }, () => clients().create(wanted)))
      const [client] = answers
      assert.containsSubset(client, wanted)
      assert.isTrue(answers.every(({ id }) => id === client!.id))
      assert.deepEqual(await clients().create(wanted), client)
      assert.equal((await clients().findByName(wanted.name))?.id, client!.id)
    })

    test('the provider returns the secret of a client only if requested', async ({ assert }) => {
      const { id } = await newClient(clients(), await ownRealm())
      assert.notProperty(await clients().read(id), 'secret')
      const secret = (await clients().read(id, { secret: true }))?.secret
      assert.isAbove(secret!.length, 20)
      const token = await clientToken(subject, id, secret!)
      assert.containsSubset(await provider().introspect(token!), { sub: id, sub_kind: 'client' })
    })

    test('sets and changes the display name of a client', async ({ assert }) => {
      const name = randomUUID()
      const wanted = { name, displayName: 'Site A', realmId: await ownRealm() }
      const { id } = await clients().create(wanted)
      assert.containsSubset(await clients().read(id), { ...wanted, id })
      await clients().setDisplayName(id, 'Site B')
      assert.containsSubset(await clients().read(id), { ...wanted, id, displayName: 'Site B' })
      await clients().remove(id)
      await clients().setDisplayName(id, 'Site C')
      assert.isUndefined(await clients().read(id))
    })

    test('a rotated secret replaces the older one', async ({ assert }) => {
      const client = await newClient(clients(), await ownRealm())
      const before = (await clients().read(client.id, { secret: true }))!.secret!
      const secret = randomUUID()
      const rotated = await clients().rotate(client.id, { secret, displayName: 'Site A' })
      assert.containsSubset(rotated, { id: client.id, name: client.name, displayName: 'Site A' })
      assert.equal((await clients().read(client.id, { secret: true }))?.secret, secret)
      assert.isDefined(await clientToken(subject, client.id, secret))
      assert.isUndefined(await clientToken(subject, client.id, before))
    })

    test('a removed client ends with its tokens', async ({ assert }) => {
      const { id, name } = await newClient(clients(), await ownRealm())
      const secret = (await clients().read(id, { secret: true }))!.secret!
      await clients().remove(id)
      await clients().remove(id)
      assert.isUndefined(await clients().read(id))
      assert.isUndefined(await clients().findByName(name))
      assert.isUndefined(await clients().rotate(id, { secret: 'another-secret-for-it' }))
      assert.isUndefined(await clientToken(subject, id, secret))
    })

    test('unknown ids and names find nothing', async ({ assert }) => {
      for (const id of [
        UNKNOWN,
        'not-an-id',
        '../realms',
        '%2e%2e',
        '?fields=%2Bsecret',
        "' or 1",
      ]) {
        assert.isUndefined(await clients().read(id), id)
        assert.isUndefined(await clients().findByName(id), id)
        assert.isUndefined(await clients().permission(id), id)
      }
    })

    test('a permission is found by name and by id', async ({ assert }) => {
      const permission = await clients().permission('analysis_update')
      assert.equal(permission?.name, 'analysis_update')
      assert.equal((await clients().permission(permission!.id))?.id, permission!.id)
    })

    test('a client has granted permissions until they are revoked', async ({ assert }) => {
      const { id } = await newClient(clients(), await ownRealm())
      const { id: permissionId } = (await clients().permission('analysis_update'))!
      assert.isEmpty(await clients().permissionsOf(id))

      const grant = await clients().grant(id, permissionId)
      assert.equal((await clients().grant(id, permissionId)).id, grant.id)
      const grants = await clients().permissionsOf(id)
      assert.lengthOf(grants, 1)
      assert.containsSubset(grants[0], { id: grant.id, clientId: id, permissionId })
      assert.equal(grants[0]!.permission.name, 'analysis_update')
      assert.deepEqual(await permissionsInToken(subject, id), ['analysis_update'])

      await clients().revoke(grant.id)
      await clients().revoke(grant.id)
      assert.isEmpty(await clients().permissionsOf(id))
      assert.isEmpty(await permissionsInToken(subject, id))
    })

    test('the provider lists realms and users', async ({ assert }) => {
      const { access_token: token } = await logIn(subject)
      const { sub, realm_id: realmId } = (await provider().introspect(token))!
      const realms = await provider().people!.realmIds()
      assert.isTrue(realms.has(await ownRealm()))
      assert.isTrue(realms.has(realmId!))
      const users = await provider().people!.users()
      assert.isTrue(users.has(sub))
      assert.isFalse(users.has(UNKNOWN))
      assert.equal(users.get(sub), realmId)
    })

    test('the provider looks up single realms and users', async ({ assert }) => {
      const { access_token: token } = await logIn(subject)
      const { sub, realm_id: realmId } = (await provider().introspect(token))!
      const people = provider().people!
      assert.isTrue(await people.hasRealm(realmId!))
      assert.isTrue(await people.hasUser(sub))
      for (const id of [UNKNOWN, sub]) {
        assert.isFalse(await people.hasRealm(id))
      }
      for (const id of [UNKNOWN, realmId!]) {
        assert.isFalse(await people.hasUser(id))
      }
    })

    test('a name in use is a conflict, and an unknown realm an invalid value', async ({
      assert,
    }) => {
      const [one, other] = await Promise.all([
        newClient(clients(), await ownRealm()),
        newClient(clients(), await ownRealm()),
      ])
      const secret = randomUUID()
      const taken = clients().rotate(one.id, { secret, name: other.name })
      assert.equal(await statusOf(taken), 409)
      const nowhere = clients().create({ name: randomUUID(), realmId: UNKNOWN })
      assert.equal(await statusOf(nowhere), 400)
      assert.equal((await clients().read(one.id))?.name, one.name)
    })

    test('the provider rejects a deactivated client', async ({ assert }) => {
      const { id } = await newClient(clients(), await ownRealm())
      const { secret } = (await clients().read(id, { secret: true }))!
      const token = (await clientToken(subject, id, secret!))!
      const verifier = new TokenVerifier(provider(), { trustMs: 0 })
      assert.equal((await verifier.verify(token))?.id, id)
      await deactivate(subject, id)
      assert.isUndefined(await verifier.verify(token))
    })

    test('the provider reports that it works', async ({ assert }) => {
      await assert.doesNotReject(() => provider().requireWorking())
      await assert.doesNotReject(() => provider().whenReady())
    })

    if (tells) {
      test('the provider notifies of created and deleted clients until unsubscribed', async ({
        assert,
      }) => {
        const changes: ProviderChange[] = []
        const stop = await provider().onChange((change) => changes.push(change))
        const { id, name } = await newClient(clients(), await ownRealm())
        await clients().remove(id)
        await eventually(() => changes.length >= 2)
        assert.containsSubset(changes, [
          { type: 'client', event: 'created', data: { id, name } },
          { type: 'client', event: 'deleted', data: { id } },
        ])
        assert.notInclude(JSON.stringify(changes), 'secret":"')
        await stop()
        const before = changes.length
        const others: ProviderChange[] = []
        const stopOthers = await provider().onChange((change) => others.push(change))
        await newClient(clients(), await ownRealm())
        await eventually(() => others.length > 0)
        assert.lengthOf(changes, before)
        await stopOthers()
      })
    }
  })
}

interface Tokens {
  access_token: string
  refresh_token?: string
}

/** The tokens of the subject's user. */
export async function logIn({ url, user }: Pick<ProviderSubject, 'url' | 'user'>): Promise<Tokens> {
  const { username, password, realm } = user
  const form = { grant_type: 'password', username, password, realm_name: realm }
  return (await requestToken(url, form)) ?? Promise.reject(new Error('The user cannot log in'))
}

async function clientToken({ url }: ProviderSubject, id: string, secret: string) {
  const form = { grant_type: 'client_credentials', client_id: id, client_secret: secret }
  return (await requestToken(url, form))?.access_token
}

async function requestToken(
  url: string,
  form: Record<string, string>
): Promise<Tokens | undefined> {
  const response = await fetch(`${url}/token`, { method: 'POST', body: new URLSearchParams(form) })
  const body = (await response.json()) as Tokens
  return response.ok ? body : undefined
}

async function newClient(clients: ClientDirectory, realmId: string) {
  return clients.create({ name: randomUUID(), realmId })
}

async function permissionsInToken(subject: ProviderSubject, id: string): Promise<string[]> {
  const { secret } = (await subject.provider.clients!.read(id, { secret: true }))!
  const token = await clientToken(subject, id, secret!)
  const introspection = await subject.provider.introspect(token!)
  return introspection!.permissions.map(({ name }) => name)
}

async function deactivate(subject: ProviderSubject, clientId: string): Promise<void> {
  const { url, provider } = subject
  if (subject.deactivate) {
    return subject.deactivate(clientId)
  }
  const response = await fetch(`${url}/clients/${clientId}`, {
    method: 'POST',
    headers: {
      'authorization': `Bearer ${await provider.ownToken()}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ active: false }),
  })
  if (!response.ok) {
    throw new Error(`The client cannot be deactivated: ${response.status}`)
  }
}

async function statusOf(refused: Promise<unknown>): Promise<number> {
  return refused.then(
    () => 200,
    (error) => failureOf(error).status
  )
}

function claimsIn(token: string): { sub: string; exp: number } {
  return JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString())
}
