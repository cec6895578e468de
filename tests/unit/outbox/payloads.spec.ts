import { test } from '@japa/runner'

import { registryProject } from '#core/registry_projects/registry_project'
import { node } from '#core/nodes/node'
import { registry } from '#core/registries/registry'
import { role } from '#identity/roles/role'
import { userPermission } from '#identity/user_permissions/user_permission'
import { user } from '#identity/users/user'
import { bucketFile } from '#storage/bucket_files/bucket_file'
import { bucket } from '#storage/buckets/bucket'
import type { Entry } from '#outbox/entry'
import { changeContent } from '#outbox/payloads/change_content'
import { emissionsOf } from '#outbox/payloads/emissions'
import { auditMessage, domainMessage } from '#outbox/payloads/messages'
import { publicationsOf } from '#outbox/payloads/publications'
import { column } from '#records/column'
import type { RecordChange } from '#records/events'
import { Kind } from '#records/kind'
import type { Attributes } from '#records/row'
import { RecordModel } from '#records/model'

const REALM = 'aaaaaaaa-0000-4000-8000-000000000001'
const OTHER_REALM = 'aaaaaaaa-0000-4000-8000-000000000002'
const ID = 'bbbbbbbb-0000-4000-8000-000000000001'
const ACTOR = 'cccccccc-0000-4000-8000-000000000001'

const actor = {
  kind: 'user' as const,
  id: ACTOR,
  name: 'somebody',
  realmId: REALM,
  realmName: 'master',
  clientId: null,
  permissions: new Set<string>(),
  expiresAt: 0,
}

function changed(traits: Partial<RecordChange> & { address?: string } = {}): RecordChange {
  const { address = '2001:db8::7', ...change } = traits
  return {
    kind: 'node',
    type: 'updated',
    id: ID,
    realmId: REALM,
    origin: {
      actor,
      requestId: 'r',
      address,
      userAgent: 'a browser',
      method: 'POST',
      path: `/core/nodes/${ID}`,
    },
    previous: { id: ID, name: 'before', realmId: REALM },
    next: { id: ID, name: 'after', realmId: REALM },
    ...change,
  }
}

const entryOf = (content: Entry['content']): Entry => ({
  position: 1,
  messageId: 'k3fj29dk3fj29dk3fj29d',
  writtenAt: 1_790_000_000_000,
  pending: 15,
  orderedBy: `node/${ID}`,
  queue: null,
  content,
})

const audited = (change: RecordChange, kind: Kind | undefined = node) =>
  auditMessage(entryOf({ change: changeContent(change, kind) })).data

/** A junction between records of two realms. */
class Junction extends RecordModel {
  @column.text() declare id: string
  @column.text() declare projectRealmId: string
  @column.text() declare nodeRealmId: string
  @column.text() declare approvalStatus: string
}

const junction = new Kind(Junction, {
  name: 'projectNode',
  collection: '/project-nodes',
  indexes: [['id']],
  audience: ['projectRealmId', 'nodeRealmId'],
  audit: { lasting: ['approvalStatus'] },
  access: {},
})

test.group('Audit events', () => {
  test('state who did what from where', ({ assert }) => {
    const message = auditMessage(entryOf({ change: changeContent(changed(), node) }))
    assert.deepEqual(message, {
      id: 'k3fj29dk3fj29dk3fj29d',
      type: 'create',
      data: {
        scope: 'entity',
        name: 'updated',
        refType: 'node',
        refId: ID,
        realmId: REALM,
        actorType: 'user',
        actorId: ACTOR,
        actorName: 'somebody',
        requestPath: `/core/nodes/${ID}`,
        requestMethod: 'POST',
        requestIpAddress: '2001:db8::7',
        requestUserAgent: 'a browser',
        data: { diff: { name: { next: 'after', previous: 'before' } } },
      },
      metadata: {
        timestamp: 1_790_000_000_000,
        routing: { type: 'work', key: 'telemetryEventTasks' },
      },
    })
  })

  test('the address {from} is recorded as {to}')
    .with([
      { from: '::1', to: '127.0.0.1' },
      { from: '::ffff:192.0.2.7', to: '192.0.2.7' },
      { from: '192.0.2.7', to: '192.0.2.7' },
      { from: 'fe80::1', to: 'fe80::1' },
      { from: '', to: null },
    ])
    .run(({ assert }, { from, to }) => {
      assert.equal(audited(changed({ address: from })).requestIpAddress, to)
    })

  test('creations and deletions have no diff', ({ assert }) => {
    assert.deepEqual(audited(changed({ type: 'created', previous: undefined })).data, {})
    assert.deepEqual(audited(changed({ type: 'deleted', next: undefined })).data, {})
  })

  test('a diff has scalar values only, without automatic times and names that suggest secrets', ({
    assert,
  }) => {
    const previous = {
      updatedAt: '2026-01-01',
      createdAt: '2026-01-01',
      expiresAt: null,
      buildHash: '1',
      accessToken: 'x',
      list: [1],
      object: null,
      count: 1,
      flag: true,
      gone: 'x',
      same: 1,
    }
    const next = {
      updatedAt: '2026-01-02',
      createdAt: '2026-01-02',
      expiresAt: '2026-01-02',
      buildHash: '2',
      accessToken: 'y',
      list: [2],
      object: { a: 1 },
      count: 2,
      flag: false,
      gone: null,
      same: 1,
    }
    const { diff } = changeContent(changed({ kind: 'other', previous, next }), undefined)
    assert.deepEqual(diff, {
      count: { next: 2, previous: 1 },
      flag: { next: false, previous: true },
      gone: { next: null, previous: 'x' },
    })
  })

  test('identifiers of a subject other than a record are stored as facts', ({ assert }) => {
    const operator = { type: 'user', id: ACTOR, name: 'somebody' }
    const about = { subject: 'deadLetter', id: null, realmId: REALM, doer: { actor: operator } }
    const facts = { queue: 'some-queue' }
    const security = { event: 'deadLetterDropped', ...about, facts } as const
    assert.containSubset(auditMessage(entryOf({ security })).data, {
      name: 'deadLetterDropped',
      refType: 'deadLetter',
      refId: null,
      actorId: ACTOR,
      data: { diff: { queue: { next: 'some-queue', previous: null } } },
    })
  })

  test('approvals, new secrets and permissions are retained permanently, other changes expire', ({
    assert,
  }) => {
    const approval = { approvalStatus: 'approved' }
    const lasting = [
      audited(
        changed({ kind: 'projectNode', previous: { approvalStatus: null }, next: approval }),
        junction
      ),
      audited(changed({ kind: 'client', replacesSecrets: true }), undefined),
      audited(changed({ type: 'created', previous: undefined, next: approval }), junction),
      audited(changed({ type: 'created', previous: undefined }), userPermission.kind),
      audited(changed({ type: 'deleted', next: undefined }), role),
      audited(changed({ kind: 'clientPermission', isLasting: true }), undefined),
    ]
    assert.deepEqual(
      lasting.map(({ expiring }) => expiring),
      lasting.map(() => false)
    )
    assert.notProperty(
      audited(changed({ previous: approval, next: approval }), junction),
      'expiring'
    )
    assert.notProperty(audited(changed()), 'expiring')
    assert.notProperty(audited(changed()), 'expiresAt')
  })

  test('junctions are filed under the realm of the project', ({ assert }) => {
    const next = { id: ID, projectRealmId: REALM, nodeRealmId: OTHER_REALM }
    const change = changed({ type: 'created', realmId: null, previous: undefined, next })
    assert.equal(audited(change, junction).realmId, REALM)
  })

  test('security events name what was refused or read', ({ assert }) => {
    const { data } = auditMessage(
      entryOf({
        security: {
          event: 'secretRead',
          subject: 'client',
          id: ID,
          realmId: REALM,
          doer: { address: '::1' },
        },
      })
    )
    assert.containsSubset(data, { name: 'secretRead', refType: 'client', refId: ID, actorId: null })
    assert.deepEqual(data.data, {})
  })
})

test.group('Domain events', () => {
  const content = changeContent(changed(), node)

  test('events are published to the bus under a key of their kind', ({ assert }) => {
    const message = domainMessage(entryOf({ change: content }), content)
    assert.equal(message.type, 'nodeUpdated')
    assert.deepEqual(message.metadata.routing, { type: 'pubSub', key: 'domain.node.updated' })
    assert.isTrue(message.metadata.persistent)
    assert.deepEqual(message.data, {
      type: 'node',
      event: 'updated',
      data: { id: ID, name: 'after', realmId: REALM },
    })
  })

  test('events go to the channels of the kind and the record, everywhere and in the realm', ({
    assert,
  }) => {
    const publications = publicationsOf(content)
    assert.deepEqual(
      publications.map(({ channel }) => channel),
      [
        'resources/node',
        `resources/node/${ID}`,
        `resources/${REALM}/node`,
        `resources/${REALM}/node/${ID}`,
      ]
    )
    assert.deepEqual(JSON.parse(publications[3]!.payload), {
      type: 'node',
      event: 'updated',
      data: { id: ID, name: 'after', realmId: REALM },
    })
  })

  test('events go to the socket rooms of the kind and of the record, under the name of the room', ({
    assert,
  }) => {
    const emissions = emissionsOf(content)
    assert.deepEqual(
      emissions.map(({ namespace, room, event }) => `${namespace} ${room} ${event}`),
      [
        `/resources node,${REALM}:node nodeUpdated`,
        `/resources node/${ID},${REALM}:node/${ID} nodeUpdated`,
        `/resources/${REALM} node nodeUpdated`,
        `/resources/${REALM} node/${ID} nodeUpdated`,
      ]
    )
    assert.deepEqual(emissions[3]!.payload, {
      data: { id: ID, name: 'after', realmId: REALM },
      meta: {
        refType: 'node',
        refId: ID,
        event: 'updated',
        namespace: `/resources/${REALM}`,
        roomName: `node/${ID}`,
      },
    })
    for (const { room, payload } of emissions) {
      const { roomName } = (payload as { meta: { roomName: string } }).meta
      assert.equal([room].flat()[0], roomName)
    }
  })

  test('buckets and their files are published in their realm and globally, which is master’s', ({
    assert,
  }) => {
    for (const kind of [bucket, bucketFile]) {
      for (const [realmId, namespaces] of [
        [OTHER_REALM, ['/resources', `/resources/${OTHER_REALM}`]],
        [null, ['/resources']],
      ] as const) {
        const next = { id: ID, name: 'a bucket', realmId }
        const published = emissionsOf(
          changeContent(changed({ kind: kind.name, realmId, next }), kind)
        )
        assert.sameMembers(
          [...new Set(published.map(({ namespace }) => namespace))],
          [...namespaces]
        )
      }
    }
  })

  test('a junction is published in both realms, once if they are the same', ({ assert }) => {
    const realmsOf = (nodeRealmId: string) =>
      changeContent(
        changed({ type: 'created', next: { id: ID, projectRealmId: REALM, nodeRealmId } }),
        junction
      ).realms
    assert.deepEqual(realmsOf(OTHER_REALM), [REALM, OTHER_REALM])
    assert.deepEqual(realmsOf(REALM), [REALM])
  })

  test('registries and their projects are published to the master realm only', ({ assert }) => {
    const next = { id: ID, realmId: REALM }
    for (const kind of [registry, registryProject]) {
      const published = changeContent(changed({ kind: kind.name, next }), kind)
      assert.lengthOf(publicationsOf(published), 2)
      assert.lengthOf(emissionsOf(published), 2)
    }
    assert.equal(audited(changed({ next }), registryProject).realmId, REALM)
  })

  test('no secret, nothing internal and nothing undeclared reaches a destination', ({ assert }) => {
    const secret = 'not-to-be-seen'
    const internal = '2001-02-03T04:05:06.000Z'
    const record: Attributes = {
      id: ID,
      name: 'a user',
      email: secret,
      password: secret,
      password_hash: secret,
      sessionsSince: internal,
      realmId: REALM,
    }
    const updated = changed({ kind: 'user', previous: { ...record, name: 'x' }, next: record })
    const change = changeContent(updated, user)
    const published = [
      auditMessage(entryOf({ change })),
      domainMessage(entryOf({ change }), change),
      publicationsOf(change),
      emissionsOf(change),
    ]
    assert.notInclude(JSON.stringify(published), secret)
    assert.include(JSON.stringify(published), 'a user')
    // The audit trail keeps when the sessions of a user were ended.
    assert.notInclude(JSON.stringify(published.slice(1)), internal)
  })

  test('times are written as everywhere else', ({ assert }) => {
    const next = { id: ID, createdAt: '2026-11-21T17:00:00.12+00:00' }
    const { data } = changeContent(changed({ next, previous: undefined }), node)
    assert.equal(data.createdAt, '2026-11-21T17:00:00.120Z')
  })
})
