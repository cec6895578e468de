import { test } from '@japa/runner'

import { HubProcesses } from '#tests/helpers/hub_processes'

const ADMIN = { grant_type: 'password', username: 'admin', password: 'start123' }
const SYSTEM = { grant_type: 'client_credentials', client_id: 'system', client_secret: 'start123' }
const ALONE = { JOBS: 'none' }

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

test.group('Identity | everything in one process', () => {
  test('whoever logs in at /auth is known everywhere', async ({ assert, cleanup }) => {
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
      variables: { ...ALONE, SURFACES: 'identity' },
    })
    core = await HubProcesses.start('server', {
      variables: { ...ALONE, SURFACES: 'core', IDENTITY_URL: provider.origin },
    })
    return async () => {
      await core.remove()
      await provider.remove()
    }
  })

  test('is believed about its tokens, and nobody else', async ({ assert }) => {
    const nodes = `${core.origin}/nodes`
    assert.equal(await statusOf(nodes), 401)
    assert.equal(await statusOf(nodes, 'nonsense'), 401)
    const token = await tokenFrom(provider.origin, ADMIN)
    assert.equal(await statusOf(nodes, token), 200)
    assert.equal(await statusOf(nodes, token.slice(0, -4)), 401)
    assert.equal(await statusOf(nodes, await tokenFrom(provider.origin, SYSTEM)), 200)
  })

  test('is missed by those only whose token it has not vouched for yet', async ({ assert }) => {
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
