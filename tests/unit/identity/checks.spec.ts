import { test } from '@japa/runner'

import type { Actor } from '#kernel/actor'
import { PermissionDenied } from '#kernel/failures'
import {
  all,
  either,
  hasPermission,
  isClient,
  isKind,
  isOfMasterRealm,
  mayWriteIn,
  requireThat,
} from '#auth/verification/checks'
import { usePermissionPolicy } from '#tests/helpers/permissions/permission_policy'

const SITE_A = '00000000-0000-4000-8000-00000000000a'
const SITE_B = '00000000-0000-4000-8000-00000000000b'

function actor(
  traits: Partial<Omit<Actor, 'permissions'>> & { permissions?: string[] } = {}
): Actor {
  const { permissions = [], ...rest } = traits
  return {
    kind: 'user',
    id: 'ann',
    name: null,
    realmId: SITE_A,
    realmName: 'site-a',
    clientId: null,
    expiresAt: 0,
    ...rest,
    permissions: new Set(permissions),
  }
}

const master = (permissions: string[] = []) =>
  actor({ realmId: SITE_B, realmName: 'master', permissions })

test.group('Permission checks', () => {
  test('a permission counts by its name', ({ assert }) => {
    const check = hasPermission('node_update')
    assert.isUndefined(check(actor({ permissions: ['node_update'] })))
    const refusal = check(actor({ permissions: ['node_updates', 'node'] }))
    assert.instanceOf(refusal, PermissionDenied)
    assert.containsSubset(refusal!.issues, [
      { code: 'permission_not_found', path: ['node_update'] },
    ])
    assert.isDefined(check(master()))
  })

  test('a realm is written by its members and by the master realm', ({ assert }) => {
    assert.isUndefined(mayWriteIn(SITE_A)(actor()))
    assert.isDefined(mayWriteIn(SITE_B)(actor()))
    assert.isUndefined(mayWriteIn(SITE_A)(master()))
    assert.isUndefined(mayWriteIn(null)(master()))
    assert.isDefined(mayWriteIn(null)(actor()))
    assert.isDefined(mayWriteIn(null)(actor({ realmId: null, realmName: null })))
  })

  test('the master realm is the one with that name', ({ assert }) => {
    assert.isUndefined(isOfMasterRealm(master()))
    assert.isDefined(isOfMasterRealm(actor()))
  })

  test('a client is known by its id and its kind', ({ assert }) => {
    const check = isClient('node-client')
    assert.isUndefined(check(actor({ kind: 'client', id: 'node-client' })))
    assert.isDefined(check(actor({ kind: 'user', id: 'node-client' })))
    assert.isDefined(check(actor({ kind: 'client', id: 'another' })))
    assert.isDefined(isClient(null)(actor({ kind: 'client', id: 'another' })))
  })

  test('a kind of actor can be required', ({ assert }) => {
    assert.isUndefined(isKind('client', 'robot')(actor({ kind: 'robot' })))
    assert.isDefined(isKind('client', 'robot')(actor()))
  })

  test('checks can be combined', ({ assert }) => {
    const check = either(isClient('own'), all(hasPermission('node_update'), mayWriteIn(SITE_A)))
    assert.isUndefined(check(actor({ kind: 'client', id: 'own', realmId: SITE_B })))
    assert.isUndefined(check(actor({ permissions: ['node_update'] })))
    assert.isDefined(check(actor({ permissions: ['node_update'], realmId: SITE_B })))
    assert.match(check(actor())!.message, /node_update/)
    assert.isUndefined(check(master(['node_update'])))
    assert.isDefined(check(master()))
  })

  test('throw the first failure', ({ assert }) => {
    const ann = actor({ permissions: ['node_update'] })
    assert.doesNotThrow(() => requireThat(ann, hasPermission('node_update'), mayWriteIn(SITE_A)))
    assert.throws(
      () => requireThat(ann, hasPermission('node_create'), mayWriteIn(SITE_B)),
      /node_create/
    )
  })

  test('checks pass the attributes of a record to the policy, which allows everything by default', ({
    assert,
    cleanup,
  }) => {
    const ann = actor({ permissions: ['analysis_update'] })
    const analysis = { realmId: SITE_B, configurationLocked: true }
    assert.isUndefined(hasPermission('analysis_update', analysis)(ann))
    const seen: unknown[] = []
    cleanup(
      usePermissionPolicy((...parameters) => {
        seen.push(parameters)
        return false
      })
    )
    assert.isDefined(hasPermission('analysis_update', analysis)(ann))
    assert.deepEqual(seen, [[ann, 'analysis_update', analysis]])
    assert.isDefined(hasPermission('analysis_delete', analysis)(ann))
    assert.lengthOf(seen, 1)
  })
})
