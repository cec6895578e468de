import { HttpContextFactory } from '@adonisjs/core/factories/http'
import { test } from '@japa/runner'

import { PermissionDenied } from '#kernel/failures'
import type { SecurityEvent } from '#audit/security_event'
import { originOf, sourceOf } from '#kernel/request_origin'
import {
  noteGatheredRefusals,
  noteRefusal,
  noteSecretRead,
  noteSignIn,
  useSecuritySink,
} from '#audit/security_events'
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
    noteRefusal(ctx, PermissionDenied.missing(['node_update', 'node_create']))
    await noteGatheredRefusals()
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

  test('refusals of the same caller, route and reason are one event that says how many', async ({
    assert,
    cleanup,
  }) => {
    const noted = listening(cleanup)
    const ctx = request()
    for (let attempt = 0; attempt < 250; attempt++) {
      noteRefusal(ctx, PermissionDenied.missing(['node_update']))
    }
    assert.isEmpty(noted)
    noteRefusal(ctx, PermissionDenied.missing(['node_delete']))
    noteRefusal(request(), PermissionDenied.missing(['node_update']))
    await noteGatheredRefusals()
    assert.deepEqual(
      noted.map(({ count, permissions }) => [count, ...permissions]),
      [
        [250, 'node_update'],
        [1, 'node_delete'],
        [1, 'node_update'],
      ]
    )
    assert.equal(noted[0]!.id, RECORD)
    await noteGatheredRefusals()
    assert.lengthOf(noted, 3)
  })

  test('refusals about several records name none of them', async ({ assert, cleanup }) => {
    const noted = listening(cleanup)
    const first = request()
    const second = request('6f1c9a52-0000-4000-8000-000000000001')
    second.actor = first.actor
    noteRefusal(first, PermissionDenied.missing(['node_update']))
    noteRefusal(second, PermissionDenied.missing(['node_update']))
    await noteGatheredRefusals()
    assert.containSubset(noted, [{ id: null, count: 2 }])
    assert.lengthOf(noted, 1)
  })

  test('of a foreign realm names no permission', async ({ assert, cleanup }) => {
    const noted = listening(cleanup)
    noteRefusal(request(), new PermissionDenied('The record belongs to another realm'))
    await noteGatheredRefusals()
    assert.isEmpty(noted[0]!.permissions)
  })

  test('nothing that was only made up gets in', async ({ assert, cleanup }) => {
    const noted = listening(cleanup)
    noteRefusal(request('<script>'), new PermissionDenied('no'))
    await noteGatheredRefusals()
    assert.isNull(noted[0]!.id)
    const nobody = request()
    nobody.actor = undefined
    noteRefusal(nobody, new PermissionDenied('no'))
    await noteGatheredRefusals()
    assert.lengthOf(noted, 1)
  })

  test('a refusal that cannot be noted stays a refusal', async ({ assert, cleanup }) => {
    cleanup(useSecuritySink({ note: () => Promise.reject(new Error('full')) }))
    noteRefusal(request(), new PermissionDenied('no'))
    await assert.doesNotReject(noteGatheredRefusals)
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
    noteRefusal(ctx, new PermissionDenied('no'))
    await noteGatheredRefusals()
    await noteSecretRead(originOf(ctx), { kind: 'node', id: RECORD, realmId: null })
    assert.notMatch(JSON.stringify(noted), /bearer|authorization/i)
  })
})
