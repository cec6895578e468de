import { HttpContextFactory } from '@adonisjs/core/factories/http'
import type { Logger } from '@adonisjs/core/logger'
import { test } from '@japa/runner'

import { PermissionDenied } from '#kernel/failures'
import type { SecurityEvent } from '#audit/security_event'
import { originOf, sourceOf } from '#kernel/request_origin'
import { SecurityAudit } from '#audit/security_audit'
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

const silent = { error() {} } as unknown as Logger

function listening() {
  const noted: SecurityEvent[] = []
  const notes = new SecurityAudit({ record: async (event) => void noted.push(event) }, silent)
  return { noted, notes }
}

const refusing = () =>
  new SecurityAudit({ record: () => Promise.reject(new Error('full')) }, silent)

test.group('Security events', () => {
  test('a refusal is recorded with actor, subject and missing permission', async ({ assert }) => {
    const { noted, notes } = listening()
    const ctx = request()
    notes.addRefusal(ctx, PermissionDenied.missing(['node_update', 'node_create']))
    await notes.flush()
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

  test('refusals of the same caller, route and reason are one event with a count', async ({
    assert,
  }) => {
    const { noted, notes } = listening()
    const ctx = request()
    for (let attempt = 0; attempt < 250; attempt++) {
      notes.addRefusal(ctx, PermissionDenied.missing(['node_update']))
    }
    assert.isEmpty(noted)
    notes.addRefusal(ctx, PermissionDenied.missing(['node_delete']))
    notes.addRefusal(request(), PermissionDenied.missing(['node_update']))
    await notes.flush()
    assert.deepEqual(
      noted.map(({ count, permissions }) => [count, ...permissions]),
      [
        [250, 'node_update'],
        [1, 'node_delete'],
        [1, 'node_update'],
      ]
    )
    assert.equal(noted[0]!.id, RECORD)
    await notes.flush()
    assert.lengthOf(noted, 3)
  })

  test('refusals about several records name none of them', async ({ assert }) => {
    const { noted, notes } = listening()
    const first = request()
    const second = request('6f1c9a52-0000-4000-8000-000000000001')
    second.actor = first.actor
    notes.addRefusal(first, PermissionDenied.missing(['node_update']))
    notes.addRefusal(second, PermissionDenied.missing(['node_update']))
    await notes.flush()
    assert.containSubset(noted, [{ id: null, count: 2 }])
    assert.lengthOf(noted, 1)
  })

  test('events of a foreign realm names no permission', async ({ assert }) => {
    const { noted, notes } = listening()
    notes.addRefusal(request(), new PermissionDenied('The record belongs to another realm'))
    await notes.flush()
    assert.isEmpty(noted[0]!.permissions)
  })

  test('forged ids and unauthenticated callers are not recorded', async ({ assert }) => {
    const { noted, notes } = listening()
    notes.addRefusal(request('<script>'), new PermissionDenied('no'))
    await notes.flush()
    assert.isNull(noted[0]!.id)
    const nobody = request()
    nobody.actor = undefined
    notes.addRefusal(nobody, new PermissionDenied('no'))
    await notes.flush()
    assert.lengthOf(noted, 1)
  })

  test('a refusal that cannot be recorded stays a refusal', async ({ assert }) => {
    const notes = refusing()
    notes.addRefusal(request(), new PermissionDenied('no'))
    await assert.doesNotReject(() => notes.flush())
  })

  test('a read secret is recorded first, and not shown if that fails', async ({ assert }) => {
    const { noted, notes } = listening()
    const record = { kind: 'node', id: RECORD, realmId: null }
    await notes.secretRead(originOf(request()), record)
    assert.containsSubset(noted, [{ type: 'secretRead', subject: 'node', id: RECORD }])
    await assert.rejects(() => refusing().secretRead(originOf(request()), record), 'full')
  })

  test('a login event is recorded without an actor', async ({ assert }) => {
    const { noted, notes } = listening()
    const account = { kind: 'user', id: null, realmId: null } as const
    const source = sourceOf(request())
    await notes.signIn('signInFailed', account, source)
    const permissions: string[] = []
    const event = { type: 'signInFailed', subject: 'user', id: null, realmId: null, permissions }
    assert.deepEqual(noted as unknown, [{ ...event, origin: source }])
    assert.notProperty(noted[0]!.origin, 'actor')
  })

  test('events contain no token and no header', async ({ assert }) => {
    const { noted, notes } = listening()
    const ctx = request()
    notes.addRefusal(ctx, new PermissionDenied('no'))
    await notes.flush()
    await notes.secretRead(originOf(ctx), { kind: 'node', id: RECORD, realmId: null })
    assert.notMatch(JSON.stringify(noted), /bearer|authorization/i)
  })
})
