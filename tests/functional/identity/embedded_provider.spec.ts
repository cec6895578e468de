import { test } from '@japa/runner'

import { identityPool } from '#identity/embedded/database'
import type { EmbeddedProvider } from '#identity/embedded/embedded_provider'
import { embeddedProvider } from '#tests/helpers/identity/embedded_provider'
import { seedIdentity } from '#identity/embedded/seeds'
import type { ProviderChange } from '#auth/provider'
import { useEventSink } from '#tests/helpers/container'
import { endSessions } from '#tests/helpers/database/database_sessions'
import { eventually } from '#tests/helpers/eventually'
import type { RecordChange } from '#records/events'
import { clock, overrideClock } from '#kernel/clock'
import { bySecret, change, introspect, make, makeUser, remove, unique } from './provider.js'

test.group('Embedded provider', (group) => {
  let provider: EmbeddedProvider
  let realmId: string

  group.setup(seedIdentity)
  group.each.setup(async () => {
    provider = await embeddedProvider()
    realmId = (await make('realm', { name: unique('realm') })).id
    return () => provider.close()
  })

  test('the provider has a token for calls of the platform, and renews it in time', async ({
    assert,
  }) => {
    const first = await provider.ownToken()
    assert.equal(await provider.ownToken(), first)
    assert.containSubset(await introspect(first), { active: true, sub_name: 'system' })
    const release = overrideClock({ now: () => Date.now() + 14 * 60_000 + 1_000 })
    try {
      assert.notEqual(await provider.ownToken(), first)
    } finally {
      release()
    }
  })

  test('the provider publishes the keys of its tokens', async ({ assert }) => {
    const { keys, issuers } = await provider.metadata()
    assert.equal(issuers, 'any')
    assert.isNotEmpty(keys)
  })

  test('the provider creates a client once, also concurrently', async ({ assert }) => {
    const name = clock.uuid()
    const made = await Promise.all(
      Array.from({ length: 4 }, () => provider.clients.create({ name, realmId }))
    )
    assert.lengthOf(new Set(made.map(({ id }) => id)), 1)
    const { id } = made[0]!
    const client = { id, name, displayName: null, realmId, active: true, isConfidential: true }
    assert.deepEqual(made[0], client)
    assert.deepEqual(await provider.clients.findByName(name), made[0])
    assert.deepEqual(await provider.clients.read(made[0]!.id), made[0])
  })

  test('the provider shows and replaces the secret of a client', async ({ assert }) => {
    const { id } = await provider.clients.create({ name: clock.uuid(), realmId })
    const before = await provider.clients.read(id, { secret: true })
    assert.match(before!.secret!, /^[0-9a-f]{64}$/)
    const signedIn = await bySecret({ client_id: id, client_secret: before!.secret! })
    assert.equal(signedIn.status, 200)
    const rotated = await provider.clients.rotate(id, { secret: 'c'.repeat(64), displayName: 'C' })
    assert.containSubset(rotated, { id, displayName: 'C', secret: 'c'.repeat(64) })
    const after = await bySecret({ client_id: id, client_secret: 'c'.repeat(64) })
    assert.equal(after.status, 200)
  })

  test('the provider grants and revokes permissions', async ({ assert }) => {
    const { id } = await provider.clients.create({ name: clock.uuid(), realmId })
    const permission = await provider.clients.permission('analysis_update')
    assert.deepEqual(await provider.clients.permission(permission!.id), permission)
    assert.isUndefined(await provider.clients.permission('no_such_permission'))
    const granted = await provider.clients.grant(id, permission!.id)
    assert.deepEqual(granted, {
      id: granted.id,
      clientId: id,
      permissionId: permission!.id,
      permission: permission!,
    })
    assert.deepEqual(await provider.clients.grant(id, permission!.id), granted)
    assert.deepEqual(await provider.clients.permissionsOf(id), [granted])
    await provider.clients.revoke(granted.id)
    await provider.clients.revoke(granted.id)
    assert.deepEqual(await provider.clients.permissionsOf(id), [])
  })

  test('the provider ignores missing records', async ({ assert }) => {
    const { id } = await provider.clients.create({ name: clock.uuid(), realmId })
    await provider.clients.remove(id)
    await provider.clients.remove(id)
    assert.isUndefined(await provider.clients.read(id))
    assert.isUndefined(await provider.clients.read('no uuid'))
    assert.isUndefined(await provider.clients.rotate(id, { secret: 'x'.repeat(64) }))
    assert.deepEqual(await provider.clients.permissionsOf(id), [])
  })

  test('the provider changes records in the name of the platform', async ({ assert }) => {
    const changes: RecordChange[] = []
    const stop = useEventSink({
      async record(_transaction, one) {
        changes.push(one)
      },
    })
    const { id } = await provider.clients.create({ name: clock.uuid(), realmId })
    stop()
    assert.lengthOf(changes, 1)
    assert.containSubset(changes[0], { kind: 'client', type: 'created', id, realmId })
    assert.containSubset(changes[0]!.origin.actor, { kind: 'client', name: 'system' })
  })

  test('the provider lists realms and users', async ({ assert }) => {
    const user = await makeUser({ realmId })
    assert.isTrue((await provider.people.realmIds()).has(realmId))
    assert.isTrue((await provider.people.users()).has(user.id))
    await remove('user', user.id)
    assert.isFalse((await provider.people.users()).has(user.id))
  })

  test('the provider notifies of created, changed and deleted realms, users and clients', async ({
    assert,
  }) => {
    const changes: ProviderChange[] = []
    const stop = await provider.onChange((one) => changes.push(one))
    const user = await makeUser({ realmId })
    await change('user', user.id, { displayName: 'Ada' })
    await remove('user', user.id)
    await make('role', { name: unique('role'), realmId })
    await eventually(() => changes.length >= 3)
    await stop()
    assert.deepEqual(
      changes.map(({ type, event }) => `${type} ${event}`),
      ['user created', 'user updated', 'user deleted']
    )
    assert.deepEqual(changes[0]!.data, { id: user.id, name: user.name, realmId })
  })

  test('the provider receives changes again after the database was unavailable', async ({
    assert,
  }) => {
    const changes: ProviderChange[] = []
    await provider.onChange((one) => changes.push(one))
    await endSessions(identityPool(), 'analysis-hub identity changes')
    await eventually(async () => {
      await makeUser({ realmId })
      return changes.length > 0
    })
    assert.isNotEmpty(changes)
  })
})
