import { test } from '@japa/runner'

import { identityPool } from '#identity/embedded/database'
import { seedIdentity } from '#identity/embedded/seeds'
import { embeddedProvider } from '#tests/helpers/identity/embedded_provider'
import { withLockedRow } from '#tests/helpers/locked_row'

import {
  believeProvider,
  byPassword,
  make,
  makeClient,
  makeUser,
  send,
  unique,
} from './provider.js'

const inRealm = async () => ({ realmId: (await make('realm', { name: unique('realm') })).id })
const newRole = (more: object = {}) => make('role', { name: unique('role'), ...more })
const newPermission = (more: object = {}) => make('permission', { name: unique('may'), ...more })

test.group('Records of the provider that are removed', (group) => {
  let token: string

  group.setup(seedIdentity)
  group.setup(believeProvider)
  group.each.setup(async () => {
    token = (await byPassword()).body.access_token
  })

  const removing = (path: string) => () => send('DELETE', path, token)

  test('with their realm do not deadlock with assignments to them', async ({ assert }) => {
    const { realmId } = await inRealm()
    const { id: clientId } = await makeClient({ realmId })
    const { id: permissionId } = await newPermission()
    const removal = {
      locks: 'select 1 from realms where id = $1 for update',
      then: 'delete from clients where realm_id = $1',
      id: realmId,
    }
    const { clients } = await embeddedProvider()
    const granting = () => clients.grant(clientId, permissionId)
    const failure = await withLockedRow(identityPool(), removal, granting)
    assert.propertyVal(failure, 'status', 400)
  })

  test('with their realm are locked before their roles', async ({ assert }) => {
    const { realmId } = await inRealm()
    const { id: userId } = await makeUser({ realmId })
    const { id: roleId } = await newRole({ realmId })
    await make('userRole', { userId, roleId })
    const change = {
      locks: 'select 1 from users where id = $1 for update',
      then: `select 1 from roles where id in (select role_id from user_roles where user_id = $1) for update`,
      id: userId,
    }
    const removed = await withLockedRow(identityPool(), change, removing(`/realms/${realmId}`))
    assert.propertyVal(removed, 'status', 202)
  })

  test('with their realm are locked before assigned records', async ({ assert }) => {
    const { realmId } = await inRealm()
    const { id: clientId } = await makeClient({ realmId })
    const { id: permissionId } = await newPermission({ realmId })
    await make('clientPermission', { clientId, permissionId })
    const removal = {
      locks: 'select 1 from permissions where id = $1 for update',
      then: 'delete from client_permissions where permission_id = $1',
      id: permissionId,
    }
    const removed = await withLockedRow(identityPool(), removal, removing(`/realms/${realmId}`))
    assert.propertyVal(removed, 'status', 202)
  })

  test('removals do not deadlock with removed assignments', async ({ assert }) => {
    const { id: clientId } = await makeClient({})
    const { id: permissionId } = await newPermission()
    const { id } = await make('clientPermission', { clientId, permissionId })
    const removal = {
      locks: 'select 1 from clients where id = $1 for update',
      then: 'delete from client_permissions where client_id = $1',
      id: clientId,
    }
    const taking = removing(`/client-permissions/${id}`)
    const answer = await withLockedRow(identityPool(), removal, taking)
    assert.propertyVal(answer, 'status', 404)
  })

  test('removals do not deadlock with the owners of their assignments', async ({ assert }) => {
    const { id: userId } = await makeUser({})
    const { id: roleId } = await newRole()
    const { id } = await make('userRole', { userId, roleId })
    const removal = {
      locks: 'select 1 from roles where id = $1 for update',
      then: 'delete from user_roles where role_id = $1',
      id: roleId,
    }
    const answer = await withLockedRow(identityPool(), removal, removing(`/user-roles/${id}`))
    assert.propertyVal(answer, 'status', 404)
  })
})
