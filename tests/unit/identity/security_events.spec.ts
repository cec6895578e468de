import { HttpContextFactory } from '@adonisjs/core/factories/http'
import { test } from '@japa/runner'

import { PermissionDenied } from '#http/failures'
import type { SecurityEvent } from '#records/events'
import { originOf, sourceOf } from '#records/origin'
import { noteRefusal, noteSecretRead, noteSignIn, useSecuritySink } from '#records/security_events'
import { identity } from '#tests/helpers/identities'

const RECORD = '6f1c9a52-0000-4000-8000-000000000000'

function request(id: unknown = RECORD) {
  const ctx = new HttpContextFactory().create()
  const { actor, token } = identity()
  ctx.actor = actor
  ctx.params = { id }
  ctx.route = { name: 'core.updateNode' } as never
  ctx.request.request.headers.authorization = `Bearer ${token}`
  return ctx
}

function listening(cleanup: (undo: () => void) => void): SecurityEvent[] {
  const noted: SecurityEvent[] = []
  cleanup(useSecuritySink({ note: async (event) => void noted.push(event) }))
  return noted
}

test.group('Security events', () => {
  test('a refusal is noted with who, what and which permission', async ({ assert, cleanup }) => {
    const noted = listening(cleanup)
    const ctx = request()
    await noteRefusal(ctx, PermissionDenied.missing(['node_update', 'node_create']))
    assert.containsSubset(noted, [
      {
        type: 'permissionRefused',
        subject: 'core.updateNode',
        id: RECORD,
        realmId: ctx.actor!.realmId,
        permissions: ['node_update', 'node_create'],
      },
    ])
    assert.equal(noted[0]!.origin.actor, ctx.actor)
  })

  test('of a foreign realm names no permission', async ({ assert, cleanup }) => {
    const noted = listening(cleanup)
    await noteRefusal(request(), new PermissionDenied('The record belongs to another realm'))
    assert.isEmpty(noted[0]!.permissions)
  })

  test('nothing that was only made up gets in', async ({ assert, cleanup }) => {
    const noted = listening(cleanup)
    await noteRefusal(request('<script>'), new PermissionDenied('no'))
    assert.isNull(noted[0]!.id)
    const nobody = request()
    nobody.actor = undefined
    await noteRefusal(nobody, new PermissionDenied('no'))
    assert.lengthOf(noted, 1)
  })

  test('a refusal that cannot be noted stays a refusal', async ({ assert, cleanup }) => {
    cleanup(useSecuritySink({ note: () => Promise.reject(new Error('full')) }))
    await assert.doesNotReject(() => noteRefusal(request(), new PermissionDenied('no')))
  })

  test('a secret is noted before it is shown, and not shown where it cannot be', async ({
    assert,
    cleanup,
  }) => {
    const noted = listening(cleanup)
    const record = { kind: 'node', id: RECORD, realmId: null }
    await noteSecretRead(originOf(request()), record)
    assert.containsSubset(noted, [{ type: 'secretRead', subject: 'node', id: RECORD }])
    cleanup(useSecuritySink({ note: () => Promise.reject(new Error('full')) }))
    await assert.rejects(() => noteSecretRead(originOf(request()), record), 'full')
  })

  test('what happened around a login is noted without anybody who is signed in', async ({
    assert,
    cleanup,
  }) => {
    const noted = listening(cleanup)
    const account = { kind: 'user', id: null, realmId: null } as const
    const source = sourceOf(request())
    await noteSignIn('signInFailed', account, source)
    const permissions: string[] = []
    const event = { type: 'signInFailed', subject: 'user', id: null, realmId: null, permissions }
    assert.deepEqual(noted as unknown, [{ ...event, origin: source }])
    assert.notProperty(noted[0]!.origin, 'actor')
  })

  test('hold no token and no header', async ({ assert, cleanup }) => {
    const noted = listening(cleanup)
    const ctx = request()
    await noteRefusal(ctx, new PermissionDenied('no'))
    await noteSecretRead(originOf(ctx), { kind: 'node', id: RECORD, realmId: null })
    assert.notMatch(JSON.stringify(noted), /bearer|authorization/i)
  })
})
