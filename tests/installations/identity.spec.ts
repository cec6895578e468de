import { test } from '@japa/runner'

import { HubProcesses } from '#tests/helpers/hub_processes'
import {
  ANN,
  StandInProvider,
  SYSTEM as PLATFORM,
} from '#tests/unit/identity/stand_in/stand_in_provider'
import { eventually } from '#tests/helpers/eventually'
import { realTime } from '#tests/helpers/real_time'

const ADMIN = { grant_type: 'password', username: 'admin', password: 'start123' }
const PASSWORD = 'correct horse battery'
const SYSTEM = { grant_type: 'client_credentials', client_id: 'system', client_secret: 'start123' }
const ALONE = { JOBS: 'none' }
const LIFETIMES = { ACCESS_TOKEN_SECONDS: '1800', REFRESH_TOKEN_SECONDS: '7200' }
const NO_NODE = '/nodes/6f1c9a52-0000-4000-8000-000000000000'

/** How long a verdict is relied upon, and what a busy machine may add. */
const PROPAGATION_MS = 62_000

async function tokenFrom(provider: string, form: Record<string, string>): Promise<string> {
  const response = await fetch(`${provider}/token`, {
    method: 'POST',
    body: new URLSearchParams(form),
  })
  return ((await response.json()) as { access_token: string }).access_token
}

async function statusOf(url: string, token?: string, init: RequestInit = {}): Promise<number> {
  const headers = {
    'content-type': 'application/json',
    ...(token && { authorization: `Bearer ${token}` }),
  }
  const response = await fetch(url, { ...init, headers })
  await response.arrayBuffer()
  return response.status
}

/** Asks the provider for a record, or writes one, as a caller; answers the record. */
async function record(url: string, token: string, method = 'GET', body?: object): Promise<any> {
  const response = await fetch(url, {
    method,
    headers: { 'authorization': `Bearer ${token}`, 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  })
  return ((await response.json()) as { data: any }).data
}

/** A new user who may delete nodes, and how to take that away again. */
async function someone(provider: string, name: string) {
  const admin = await tokenFrom(provider, ADMIN)
  const post = (path: string, body: object) => record(provider + path, admin, 'POST', body)
  const { id: userId } = await post('/users', { name, password: PASSWORD })
  const permission = await record(`${provider}/permissions/node_delete`, admin)
  const given = await post('/user-permissions', { userId, permissionId: permission.id })
  return {
    token: await tokenFrom(provider, {
      grant_type: 'password',
      username: name,
      password: PASSWORD,
    }),
    forbid: () => record(`${provider}/user-permissions/${given.id}`, admin, 'DELETE'),
  }
}

/** How long it takes until a request is answered with a status. */
async function timeUntil(status: number, request: () => Promise<number>): Promise<number> {
  const startedAt = Date.now()
  while ((await request()) !== status && Date.now() - startedAt < 2 * PROPAGATION_MS) {
    await realTime(500, 'it may take a minute')
  }
  return Date.now() - startedAt
}

test.group('Identity | everything in one process', () => {
  test('a user who logs in at /auth is known everywhere', async ({ assert, cleanup }) => {
    const hub = await HubProcesses.start('server', { variables: ALONE })
    cleanup(() => hub.remove())
    const nodes = `${hub.origin}/core/nodes`
    assert.equal(await statusOf(nodes), 401)
    for (const form of [ADMIN, SYSTEM]) {
      const token = await tokenFrom(`${hub.origin}/auth`, form)
      assert.equal(await statusOf(nodes, token), 200)
      assert.equal(await statusOf(`${hub.origin}/auth/users`, token), 200)
    }
    const body = JSON.stringify({ name: 'node-of-the-admin' })
    const admin = await tokenFrom(`${hub.origin}/auth`, ADMIN)
    assert.equal(await statusOf(nodes, admin, { method: 'POST', body }), 201)
  })
})

test.group('Identity | a provider elsewhere', (group) => {
  let provider: HubProcesses
  let core: HubProcesses

  group.setup(async () => {
    provider = await HubProcesses.start('server', {
      variables: { ...ALONE, SURFACES: 'identity', ...LIFETIMES },
    })
    core = await HubProcesses.start('server', {
      variables: { ...ALONE, SURFACES: 'core', IDENTITY_URL: provider.origin },
    })
    return async () => {
      await core.remove()
      await provider.remove()
    }
  })

  test('the provider is believed about its tokens, and no other', async ({ assert }) => {
    const nodes = `${core.origin}/nodes`
    assert.equal(await statusOf(nodes), 401)
    assert.equal(await statusOf(nodes, 'nonsense'), 401)
    const token = await tokenFrom(provider.origin, ADMIN)
    assert.equal(await statusOf(nodes, token), 200)
    assert.equal(await statusOf(nodes, token.slice(0, -4)), 401)
    assert.equal(await statusOf(nodes, await tokenFrom(provider.origin, SYSTEM)), 200)
  })

  test('the provider gives tokens for as long as it is configured to', async ({ assert }) => {
    const body = new URLSearchParams(ADMIN)
    const response = await fetch(`${provider.origin}/token`, { method: 'POST', body })
    assert.containSubset(await response.json(), {
      expires_in: 1800,
      refresh_token_expires_in: 7200,
    })
  })

  test('the provider is heeded by every process within a minute where it takes a token or a permission back', async ({
    assert,
    cleanup,
  }) => {
    const other = await HubProcesses.start('server', {
      variables: { ...ALONE, SURFACES: 'core', IDENTITY_URL: provider.origin },
    })
    cleanup(() => other.remove())
    const cores = [core.origin, other.origin]
    const [revoked, limited] = [
      await someone(provider.origin, 'somebody-revoked'),
      await someone(provider.origin, 'somebody-limited'),
    ]
    const deletion = (origin: string, token: string) =>
      statusOf(origin + NO_NODE, token, { method: 'DELETE' })
    for (const origin of cores) {
      assert.equal(await deletion(origin, revoked.token), 404)
      assert.equal(await deletion(origin, limited.token), 404)
    }
    const form = new URLSearchParams({ token: revoked.token })
    await fetch(`${provider.origin}/token/revoke`, { method: 'POST', body: form })
    await limited.forbid()
    const times = await Promise.all(
      cores.flatMap((origin) => [
        timeUntil(401, () => deletion(origin, revoked.token)),
        timeUntil(403, () => deletion(origin, limited.token)),
      ])
    )
    times.forEach((time) => assert.isAtMost(time, PROPAGATION_MS))
    assert.equal(await statusOf(`${core.origin}/nodes`, limited.token), 200)
  })

  test('the provider is missed by those only whose token it has not vouched for yet', async ({
    assert,
  }) => {
    const nodes = `${core.origin}/nodes`
    const known = await tokenFrom(provider.origin, ADMIN)
    const unknown = await tokenFrom(provider.origin, ADMIN)
    assert.equal(await statusOf(nodes, known), 200)
    await provider.remove()
    assert.equal(await statusOf(nodes, known), 200)
    assert.equal(await statusOf(nodes, unknown), 503)
    assert.equal(await statusOf(nodes), 401)
    assert.equal(await statusOf(core.origin, unknown), 200)
  })
})

test.group('Identity | a provider that describes itself per realm', (group) => {
  let provider: StandInProvider
  let core: HubProcesses

  group.setup(async () => {
    provider = await StandInProvider.start()
    provider.describesRealms = true
    core = await HubProcesses.start('server', {
      variables: {
        SURFACES: 'core',
        JOBS: 'sweeps',
        IDENTITY_URL: provider.url,
        CLIENT_SECRET: PLATFORM.clientSecret,
      },
    })
    return async () => {
      await core.remove()
      await provider.goAway()
    }
  })

  const readiness = async () => {
    const response = await fetch(`${core.admin}/health/ready`)
    return { status: response.status, body: (await response.json()) as any }
  }

  test('the provider lets its users in, and the platform is ready', async ({ assert }) => {
    const token = await tokenFrom(provider.url, { grant_type: 'password', ...ANN })
    assert.equal(await statusOf(`${core.origin}/nodes`, token), 200)
    assert.equal((await readiness()).status, 200)
  })

  test('the provider is told apart at the start by what the platform lacks there', ({ assert }) => {
    assert.include(core.output, 'the client of the platform lacks permissions')
    assert.include(core.output, 'analysis_self_storage_use')
    assert.notInclude(core.output, 'sweep failed')
  })

  test('a provider without introspection keeps the platform from being ready, which says why', async ({
    assert,
    cleanup,
  }) => {
    provider.fail((request, answer) =>
      request.url === '/token/introspect' ? { status: 503, body: '' } : answer()
    )
    cleanup(() => provider.fail())
    await eventually(async () => (await readiness()).status !== 200)
    const { status, body } = await readiness()
    assert.equal(status, 503)
    assert.equal(body.message, 'Not ready: identity')
    assert.match(body.issues[0].message, /introspect.+503/)
    provider.fail()
    await eventually(async () => (await readiness()).status === 200)
  })
})
