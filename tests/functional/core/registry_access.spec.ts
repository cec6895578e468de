import { test } from '@japa/runner'

import { REGISTRY_OPERATIONS } from '#core/registries/registry_operations'
import { corePool } from '#core/database'
import { identity } from '#tests/helpers/identities'

import { member, newRealm, uniqueName } from './node_scene.js'
import { send } from './registry_scene.js'

const SECRET = 'nobody-sees-this-1A'

const body = (host = `${uniqueName('host')}.example`) => ({
  name: uniqueName('registry'),
  host,
  accountName: 'account',
  accountSecret: SECRET,
})

test.group('Registries belong to the installation', () => {
  const central = identity({ permissions: ['registry_manage'] })
  const idle = identity({ permissions: ['registry_project_manage', 'node_update'] })

  test('creating, updating and deleting them requires the permission and the master realm', async ({
    assert,
  }) => {
    const foreign = member(await newRealm(), ['registry_manage'])
    const made = await send('POST', '/registries', body(), central)
    assert.equal(made.status, 201)
    const path = `/registries/${made.body.data.id}`
    for (const by of [foreign, idle]) {
      for (const answer of [
        await send('POST', '/registries', body(), by),
        await send('POST', path, { host: 'attacker.example' }, by),
        await send('POST', path, { accountSecret: 'Stolen123' }, by),
        await send('DELETE', path, undefined, by),
      ]) {
        assert.equal(answer.status, 403)
        assert.equal(answer.body.code, 'permission_denied')
      }
    }
    assert.equal((await send('POST', path, { name: uniqueName() }, central)).status, 202)
    assert.equal((await send('DELETE', path, undefined, central)).status, 202)
  })

  test('all commands require the master realm', async ({ assert }) => {
    const foreign = member(await newRealm(), ['registry_manage'])
    const { id } = (await send('POST', '/registries', body(), central)).body.data
    for (const command of REGISTRY_OPERATIONS) {
      for (const by of [foreign, idle]) {
        const refused = await send('POST', '/services/registry/command', { command, id }, by)
        assert.equal(refused.status, 403, command)
      }
    }
  })

  test('secrets of registries require the master realm, at any depth', async ({ assert }) => {
    const foreign = member(await newRealm(), ['registry_manage'])
    const { id } = (await send('POST', '/registries', body(), central)).body.data
    const project = {
      name: uniqueName('project'),
      externalName: uniqueName('external'),
      type: 'default',
      registryId: id,
    }
    const own = (await send('POST', '/registry-projects', project)).body.data
    for (const path of [
      `/registries/${id}?fields=%2BaccountSecret`,
      `/registries?filter[id]=${id}&fields=accountSecret`,
      `/registry-projects/${own.id}?include=registry&fields=registry.accountSecret`,
    ]) {
      for (const by of [foreign, idle]) {
        const hidden = await send('GET', path, undefined, by)
        assert.notInclude(JSON.stringify(hidden.body.data), SECRET, path)
        assert.notInclude(JSON.stringify(hidden.body.data), 'hub.', path)
      }
      const shown = await send('GET', path, undefined, central)
      assert.include(JSON.stringify(shown.body.data), SECRET, path)
    }
  })

  test('a host is a name or an address with an optional port', async ({ assert }) => {
    for (const host of [
      'a@evil.example',
      'x.example/path',
      'x.example?q',
      'x.example#f',
      'x y.z',
    ]) {
      const { status, body: said } = await send('POST', '/registries', body(host))
      assert.equal(status, 400, host)
      assert.deepEqual(said.issues[0].path, ['host'])
    }
  })

  test('secrets are sealed in the database, and the same secret again changes nothing', async ({
    assert,
  }) => {
    const { id } = (await send('POST', '/registries', body(), central)).body.data
    const stored = async () =>
      (await corePool().query('select * from registries where id = $1', [id])).rows[0]
    const before = await stored()
    assert.notInclude(JSON.stringify(before), SECRET)
    await send('POST', `/registries/${id}`, { accountSecret: SECRET }, central)
    assert.deepEqual(await stored(), before)
    await send('POST', `/registries/${id}`, { accountSecret: 'Another-1' }, central)
    assert.notEqual((await stored()).account_secret, before.account_secret)
    const filtered = await send('GET', `/registries?filter[accountSecret]=Another-1`)
    assert.isAbove(filtered.body.meta.total, 0)
    assert.include(filtered.headers.get('x-dropped-keys'), 'accountSecret')
  })

  test('secrets are sealed in pending commands as well', async ({ assert }) => {
    const registryId = (await send('POST', '/registries', body(), central)).body.data.id
    const project = { name: uniqueName('project'), externalName: uniqueName('external') }
    const made = await send('POST', '/registry-projects', {
      ...project,
      type: 'default',
      registryId,
    })
    const { id } = made.body.data
    const command = { command: 'projectLink', id, secret: SECRET }
    assert.equal((await send('POST', '/services/registry/command', command, central)).status, 202)
    const { rows } = await corePool().query(
      `select content::text as text from outbox where queue = 'registryCommands' and content::text like $1
       union all select l::text from registry_links l where registry_id = $2`,
      [`%${id}%`, registryId]
    )
    assert.isAtLeast(rows.length, 2)
    assert.notInclude(JSON.stringify(rows), SECRET)
  })
})
