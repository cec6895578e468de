import { test } from '@japa/runner'

import { identityProvider } from '#core/clients/identity_provider'
import { isLegacyClient } from '#core/registries/legacy_client'
import { legacyClientSweep } from '#core/registries/registry_sweeps'
import { corePool } from '#core/database'
import { client } from '#identity/clients/client'
import { realm } from '#identity/realms/realm'
import { databaseUrl } from '#database/addresses'
import { pools } from '#database/pools'
import { seal } from '#records/sealing'
import { clock } from '#kernel/clock'
import { eventually } from '#tests/helpers/eventually'
import { HarborServer } from '#tests/helpers/core/harbor_server'
import { sampleRecord } from '#tests/helpers/sample_records'

import { call } from './node_scene.js'
import { startCommands, RegistryScene, send } from './registry_scene.js'

const basic = (account: string) => `Basic ${Buffer.from(account).toString('base64')}`

let senders = 0

/** An address without failed attempts. */
const newAddress = () => `203.0.113.${++senders}`

const event = (namespace: string, name = 'image') => ({
  type: 'PUSH_ARTIFACT',
  occur_at: 1_700_000_000,
  operator: 'admin',
  event_data: {
    repository: { name, repo_full_name: `${namespace}/${name}`, namespace },
    resources: [{ digest: 'sha256:1', tag: 't'.repeat(128), resource_url: 'hub/x:y' }],
  },
})

const receive = (authorization: string, body: object = event('project'), address = newAddress()) =>
  call('POST', '/services/registry/hook', {
    headers: { authorization, 'x-forwarded-for': address },
    body,
  })

/** The webhook of a project in the registry. */
function hookIn({ harbor }: RegistryScene, name: unknown) {
  const [{ targets }] = [...harbor.projects.get(name as string)!.policies.values()]
  return targets[0] as { auth_header: string; skip_cert_verify: boolean }
}

const countEvents = async () => {
  const { rows } = await corePool().query(
    `select count(*)::int as count from inbox where consumer like '%registryCommands%'`
  )
  return rows[0].count as number
}

test.group('Webhooks of registries', (group) => {
  let scene: RegistryScene

  group.setup(startCommands)
  group.each.setup(async () => {
    scene = await RegistryScene.create()
    return () => scene.end()
  })

  async function linked() {
    const project = await scene.project()
    await scene.linked(project.id)
    return { name: project.externalName as string, hook: hookIn(scene, project.externalName) }
  }

  test('each has its own sealed secret, which is not that of a client', async ({ assert }) => {
    const other = await RegistryScene.create()
    const theirs = await other.project()
    await other.linked(theirs.id)
    const { hook } = await linked()
    const [id, secret] = Buffer.from(hook.auth_header.slice(6), 'base64').toString().split(':')
    assert.equal(id, scene.id)
    assert.match(secret!, /^[0-9a-f]{64}$/)
    assert.notEqual(hookIn(other, theirs.externalName).auth_header, hook.auth_header)
    assert.isFalse(hook.skip_cert_verify)
    const { rows } = await corePool().query('select secret from registry_hooks')
    assert.notInclude(JSON.stringify(rows), secret!)
    await other.end()
  })

  test('a secret is valid for events of its own registry only', async ({ assert }) => {
    const other = await RegistryScene.create()
    const { name, hook } = await linked()
    const secret = Buffer.from(hook.auth_header.slice(6), 'base64').toString().split(':')[1]
    assert.equal((await receive(basic(`${other.id}:${secret}`))).status, 401)
    const before = await countEvents()
    assert.equal((await receive(hook.auth_header, event('somebody-elses'))).status, 202)
    assert.equal((await receive(hook.auth_header, event(name, 'ab'))).status, 202)
    await eventually(async () => (await countEvents()) === before + 1)
    await other.end()
  })

  test('a renewed secret is invalid, and the registry gets the next one', async ({ assert }) => {
    const { name, hook } = await linked()
    assert.equal((await scene.command('hookRenew')).status, 202)
    assert.equal((await receive(hook.auth_header, event(name))).status, 401)
    await eventually(() => hookIn(scene, name).auth_header !== hook.auth_header)
    assert.equal((await receive(hookIn(scene, name).auth_header, event(name))).status, 202)
  })

  test('a new host revokes the secret', async ({ assert, cleanup }) => {
    const { name, hook } = await linked()
    const elsewhere = await HarborServer.start()
    cleanup(() => elsewhere.stop())
    await send('POST', `/registries/${scene.id}`, { host: elsewhere.host })
    assert.equal((await receive(hook.auth_header, event(name))).status, 401)
  })

  test('a deleted registry is rejected', async ({ assert }) => {
    const { name, hook } = await linked()
    await send('DELETE', `/registries/${scene.id}`)
    assert.equal((await receive(hook.auth_header, event(name))).status, 401)
  })

  test('guesses are limited per address, concurrent ones as well', async ({ assert }) => {
    const { name, hook } = await linked()
    const address = newAddress()
    const guesses = await Promise.all(
      Array.from({ length: 30 }, (_, guess) =>
        receive(basic(`${scene.id}:guess-${guess}`), event(name), address)
      )
    )
    const statuses = guesses.map(({ status }) => status)
    assert.lengthOf(
      statuses.filter((status) => status === 401),
      10
    )
    assert.lengthOf(
      statuses.filter((status) => status === 429),
      20
    )
    assert.equal((await receive(hook.auth_header, event(name), address)).status, 429)
    for (let round = 0; round < 15; round++) {
      assert.equal((await receive(hook.auth_header, event(name), '203.0.113.250')).status, 202)
    }
  })
})

test.group('The legacy client of registries', (group) => {
  const SECRET = 'Former-platform-1'
  const identities = () => pools.for(databaseUrl('identity'))

  async function former() {
    const { rows } = await identities().query(
      `select c.id, c.secret from clients c join realms r on r.id = c.realm_id
       where c.name = 'registry' and r.name = 'master'`
    )
    return rows[0] as { id: string; secret: string }
  }

  group.each.setup(async () => {
    const { id, secret } = await former()
    await identities().query('update clients set secret = $2 where id = $1', [
      id,
      seal('client secret', SECRET),
    ])
    return async () => {
      await identities().query(
        `update clients set secret = $2, active = true, auth_method = 'secret' where id = $1`,
        [id, secret]
      )
    }
  })

  const own = async () => basic(`${(await former()).id}:${SECRET}`)

  test('the client is accepted by its id or name', async ({ assert }) => {
    assert.equal((await receive(await own())).status, 202)
    assert.equal((await receive(basic(`registry:${SECRET}`))).status, 202)
    assert.equal((await receive(basic(`system:${SECRET}`))).status, 401)
    assert.isFalse(await isLegacyClient('registry', Buffer.from('')))
  })

  test('the client is rejected if it is inactive or has no secret', async ({ assert }) => {
    const { id } = await former()
    await identities().query('update clients set active = false where id = $1', [id])
    assert.equal((await receive(await own())).status, 401)
    await identities().query(
      `update clients set active = true, auth_method = 'none' where id = $1`,
      [id]
    )
    assert.equal((await receive(await own())).status, 401)
  })

  test('the client is that of the realm of the platform, even if another realm has an older one', async ({
    assert,
  }) => {
    const { id: realmId } = await sampleRecord('identity', realm)
    const other = await sampleRecord('identity', client, {
      name: 'registry',
      realmId,
      active: true,
      secret: seal('client secret', 'Of-another-realm-1'),
      createdAt: new Date(0),
    })
    assert.equal((await receive(basic(`registry:Of-another-realm-1`))).status, 401)
    assert.equal((await receive(basic(`${other.id}:Of-another-realm-1`))).status, 401)
    assert.equal((await receive(await own())).status, 202)
    await identities().query('delete from clients where id = $1', [other.id])
  })

  test('the client gets another secret once if registries knew it', async ({ assert }) => {
    const { clients } = await identityProvider()
    const secretNow = async () =>
      (await clients!.read((await former()).id, { secret: true }))!.secret
    const { signal } = new AbortController()
    assert.equal(await legacyClientSweep(corePool()).run(signal), 0)
    assert.equal(await secretNow(), SECRET)
    await corePool().query('insert into registry_client_renewals default values')
    assert.equal(await legacyClientSweep(corePool()).run(signal), 1)
    const next = await secretNow()
    assert.notEqual(next, SECRET)
    assert.equal((await receive(await own())).status, 401)
    assert.equal(await legacyClientSweep(corePool()).run(signal), 0)
    assert.equal(await secretNow(), next)
  })

  test('S10: an id that is neither a registry nor a client is rejected', async ({ assert }) => {
    for (const account of [
      `${clock.uuid()}:${SECRET}`,
      ':',
      '',
      'registry',
      `registry:`,
      '\0:\0',
    ]) {
      assert.equal((await receive(basic(account))).status, 401, account)
    }
  })
})
