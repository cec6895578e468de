import { stat } from 'node:fs/promises'

import { test } from '@japa/runner'

import { clock } from '#kernel/clock'
import { env } from '#start/env'
import { containerName } from '#storage/objects/layout'
import { objectStore } from '#storage/objects/store'
import { layoutsOf, removeLocations } from '#storage/objects/bucket_locations'
import { identity, REALMS } from '#tests/helpers/identities'
import { storagePool } from '#storage/database'

import {
  aBucket,
  aFile,
  callStorage,
  objectsOf,
  person,
  uniqueName,
  withoutStore,
} from './storage_scene.js'

const REALM = clock.uuid()
const ELSEWHERE = clock.uuid()
const CREATING = ['bucket_create']
const KEYS = ['id', 'name', 'region', 'createdAt', 'updatedAt', 'realmId', 'actorId', 'actorType']

const folderOf = (id: string) => `${env.STORAGE_PATH}/${containerName(id)}`
const isThere = (path: string) =>
  stat(path).then(
    () => true,
    () => false
  )

async function rowsNamed(name: string): Promise<number> {
  const { rowCount } = await storagePool().query('select 1 from buckets where name = $1', [name])
  return rowCount!
}

test.group('Creating a bucket', () => {
  test('a creation returns the bucket, whose location exists by then', async ({ assert }) => {
    const maker = person(REALM, CREATING)
    const name = uniqueName()
    const { status, body } = await callStorage(maker, 'POST', '/buckets', {
      name,
      region: null,
      refType: 'analysis',
      refId: clock.uuid(),
    })
    assert.equal(status, 201)
    assert.deepEqual(body.meta, {})
    assert.sameMembers(Object.keys(body.data), KEYS)
    assert.containsSubset(body.data, {
      name,
      region: null,
      realmId: REALM,
      actorId: maker.actor.id,
      actorType: 'user',
    })
    assert.match(body.data.createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.isTrue(await isThere(folderOf(body.data.id)))
    assert.deepEqual(await layoutsOf(body.data.id), ['own'])
  })

  test('a creation stores its reference, and does not expose it', async ({ assert }) => {
    const reference = { refType: 'analysis', refId: clock.uuid() }
    const { body } = await callStorage(person(REALM, CREATING), 'POST', '/buckets', {
      name: uniqueName(),
      ...reference,
    })
    const { rows } = await storagePool().query(
      'select ref_type as "refType", ref_id as "refId" from buckets where id = $1',
      [body.data.id]
    )
    assert.deepEqual(rows, [reference])
    const seen = await callStorage(
      identity(),
      'GET',
      `/buckets/${body.data.id}?fields=%2BrefId,refType`
    )
    assert.notInclude(JSON.stringify(seen.body.data), reference.refId)
    const response = await callStorage(
      identity(),
      'GET',
      `/buckets?filter=eq(refId,'${reference.refId}')`
    )
    assert.equal(response.status, 400)
  })

  test('a creation is refused before its body is read', async ({ assert }) => {
    for (const sent of [{}, { name: 'x' }, { name: uniqueName() }]) {
      const { status, body } = await callStorage(person(REALM), 'POST', '/buckets', sent)
      assert.equal(status, 403)
      assert.equal(body.code, 'permission_denied')
      assert.containsSubset(body.issues, [
        { code: 'permission_not_found', path: ['bucket_create'] },
      ])
    }
    assert.equal((await callStorage(undefined, 'POST', '/buckets', {})).status, 401)
  })

  for (const [what, sent, path] of [
    ['no name', {}, 'name'],
    ['a name of two letters', { name: 'ab' }, 'name'],
    ['a name of 257 letters', { name: 'a'.repeat(257) }, 'name'],
    ['a name that is a number', { name: 12345 }, 'name'],
    ['a name that is null', { name: null }, 'name'],
    ['a name with a zero in it', { name: 'abc\0' }, 'name'],
    ['a short region', { name: 'abc', region: 'eu' }, 'region'],
    ['a long region', { name: 'abc', region: 'e'.repeat(257) }, 'region'],
    ['a realm that is no id', { name: 'abc', realmId: 'home' }, 'realmId'],
    ['a reference to nothing', { name: 'abc', refType: '' }, 'refType'],
    ['a reference of 65 letters', { name: 'abc', refType: 'a'.repeat(65) }, 'refType'],
    ['a reference that is no id', { name: 'abc', refId: 'it' }, 'refId'],
  ] as const) {
    test(`with ${what} is refused with an issue for that`, async ({ assert }) => {
      const { status, body } = await callStorage(person(REALM, CREATING), 'POST', '/buckets', sent)
      assert.equal(status, 400, JSON.stringify(body))
      assert.equal(body.code, 'bad_request')
      assert.deepEqual(
        body.issues.map((each: { path: string[] }) => each.path),
        [[path]]
      )
    })
  }

  test('a creation takes what is sent beside, and ignores it', async ({ assert }) => {
    const { status, headers, body } = await callStorage(
      person(REALM, CREATING),
      'POST',
      '/buckets',
      {
        name: uniqueName(),
        actorId: clock.uuid(),
        actorType: 'robot',
        createdAt: '2001-01-01T00:00:00.000Z',
      }
    )
    assert.equal(status, 201)
    assert.equal(body.data.actorType, 'user')
    assert.notMatch(body.data.createdAt, /^2001/)
    assert.include(headers.get('x-dropped-keys'), 'body.actorId')
  })

  for (const [who, realmName, status] of [
    ['a member of another realm', 'site', 403],
    ['a member of the master realm', 'master', 201],
  ] as const) {
    test(`in a realm is answered to ${who} with ${status}`, async ({ assert }) => {
      const maker = person(ELSEWHERE, CREATING, { realmName })
      const sent = { name: uniqueName(), realmId: REALM }
      const answer = await callStorage(maker, 'POST', '/buckets', sent)
      assert.equal(answer.status, status)
      assert.equal(await rowsNamed(sent.name), status === 201 ? 1 : 0)
    })
  }

  test('a creation leaves nothing behind if the store fails', async ({ assert, cleanup }) => {
    cleanup(await withoutStore())
    const name = uniqueName()
    const { status, body } = await callStorage(person(REALM, CREATING), 'POST', '/buckets', {
      name,
    })
    assert.include([500, 503], status)
    assert.notInclude(JSON.stringify(body), env.STORAGE_PATH)
    assert.equal(await rowsNamed(name), 0)
  })

  test('a creation leaves no location behind if the database fails', async ({ assert }) => {
    const locations = async () =>
      (await storagePool().query('select count(*)::int as n from bucket_locations')).rows[0].n
    const before = await locations()
    const maker = person(REALM, CREATING, { id: 'no-uuid' })
    const { status } = await callStorage(maker, 'POST', '/buckets', { name: uniqueName() })
    assert.equal(status, 400)
    assert.equal(await locations(), before)
  })
})

test.group('Finding a bucket', () => {
  const reader = person(REALM)

  test('a bucket is addressed by id and by name on every route', async ({ assert }) => {
    const { id, name } = await aBucket({ realmId: REALM })
    for (const path of [`/buckets/${id}`, `/buckets/${id.toUpperCase()}`, `/buckets/${name}`]) {
      const { status, body } = await callStorage(reader, 'GET', path)
      assert.equal(status, 200, path)
      assert.equal(body.data.id, id, path)
      assert.sameMembers(Object.keys(body.meta), ['schema'])
    }
    for (const query of ['fields=id', 'include=', 'codec=url-simple', 'x=y']) {
      assert.equal((await callStorage(reader, 'GET', `/buckets/${id}?${query}`)).status, 200, query)
      assert.equal(
        (await callStorage(reader, 'GET', `/buckets/${name}?${query}`)).status,
        200,
        query
      )
    }
    const { body } = await callStorage(reader, 'GET', `/buckets/${name}?fields=name`)
    assert.deepEqual(body.data, { name })
  })

  test("that is another realm's, or none at all, is refused by its name as by its id", async ({
    assert,
  }) => {
    const { id, name } = await aBucket({ realmId: clock.uuid() })
    for (const query of ['', '?fields=name']) {
      assert.equal((await callStorage(reader, 'GET', `/buckets/${id}${query}`)).status, 403, query)
      assert.equal(
        (await callStorage(reader, 'GET', `/buckets/${name}${query}`)).status,
        403,
        query
      )
      assert.equal(
        (await callStorage(reader, 'GET', `/buckets/not-${name}${query}`)).status,
        404,
        query
      )
    }
  })

  test('a bucket of several with one name finds the oldest', async ({ assert }) => {
    const name = uniqueName()
    const [first, second, third] = [
      await aBucket({ name, realmId: REALM }),
      await aBucket({ name, realmId: REALM }),
      await aBucket({ name: name.toUpperCase(), realmId: REALM }),
    ]
    await storagePool().query(
      `update buckets set created_at = now() - interval '1 day' where id = $1`,
      [second.id]
    )
    assert.equal((await callStorage(reader, 'GET', `/buckets/${name}`)).body.data.id, second.id)
    assert.equal(
      (await callStorage(reader, 'GET', `/buckets/${third.name}`)).body.data.id,
      third.id
    )
    await storagePool().query('delete from buckets where id = $1', [second.id])
    assert.equal((await callStorage(reader, 'GET', `/buckets/${name}`)).body.data.id, first.id)
  })

  test('a bucket of names with letters of every kind finds that one', async ({ assert }) => {
    const { id, name } = await aBucket({ name: `ein Eimer/100% ✓ ${uniqueName()}`, realmId: REALM })
    const { body } = await callStorage(
      reader,
      'GET',
      `/buckets/${encodeURIComponent(name as string)}`
    )
    assert.equal(body.data.id, id)
  })

  for (const path of [clock.uuid(), 'no-such-name', '%00', 'a'.repeat(2_000), "'; select 1"]) {
    test(`that is not there says so: ${path.slice(0, 40)}`, async ({ assert }) => {
      for (const [method, sent] of [['GET'], ['POST', {}], ['DELETE']] as const) {
        const { status, body } = await callStorage(reader, method, `/buckets/${path}`, sent)
        assert.equal(status, 404, method)
        assert.equal(body.code, 'entity_not_found')
        assert.include(body.message, 'The bucket was not found')
      }
    })
  }
})

test.group('Changing and deleting a bucket', () => {
  test('a change takes no attribute, and answers with the bucket as it is', async ({ assert }) => {
    const owner = person(REALM)
    const made = await aBucket({ realmId: REALM, actorType: 'user', actorId: owner.actor.id })
    const { body: before } = await callStorage(owner, 'GET', `/buckets/${made.id}`)
    for (const sent of [{}, { region: 'eu-west-1', name: 'other', realmId: ELSEWHERE }]) {
      const { status, body } = await callStorage(owner, 'POST', `/buckets/${made.name}`, sent)
      assert.equal(status, 202)
      assert.deepEqual(body, { data: before.data, meta: {} })
    }
  })

  test('recreates a missing container, and does not touch an existing one', async ({ assert }) => {
    const owner = person(REALM)
    const { id } = await aBucket({ actorType: 'user', actorId: owner.actor.id })
    const store = await objectStore()
    await store.removeContainer(containerName(id))
    assert.equal((await callStorage(owner, 'POST', `/buckets/${id}`, {})).status, 202)
    assert.isTrue(await isThere(folderOf(id)))
    await aFile(id)
    assert.equal((await callStorage(owner, 'POST', `/buckets/${id}`, {})).status, 202)
    assert.equal(await objectsOf(id, 'own'), 1)
  })

  test('a change removes its files, their objects and its location', async ({ assert }) => {
    const owner = person(REALM)
    const { id, name } = await aBucket({ actorType: 'user', actorId: owner.actor.id })
    const files = [await aFile(id), await aFile(id)]
    assert.equal(await objectsOf(id, 'own'), 2)
    const { status, body } = await callStorage(owner, 'DELETE', `/buckets/${name}`)
    assert.equal(status, 202)
    assert.equal(body.data.id, id)
    assert.deepEqual(body.meta, {})
    assert.isFalse(await isThere(folderOf(id)))
    assert.isEmpty(await layoutsOf(id))
    for (const file of files) {
      assert.equal((await callStorage(identity(), 'GET', `/bucket-files/${file.id}`)).status, 404)
    }
    assert.equal((await callStorage(owner, 'DELETE', `/buckets/${id}`)).status, 404)
  })

  test('a change keeps its location registered while an upload is in progress', async ({
    assert,
  }) => {
    const owner = person(REALM)
    const { id } = await aBucket({ actorType: 'user', actorId: owner.actor.id })
    await aFile(id)
    await storagePool().query(
      `insert into bucket_file_claims (id, bucket_id, path, hash, layout, expires_at)
       values ($1, $2, 'a', 'b', 'own', now() + interval '1 minute')`,
      [clock.uuid(), id]
    )
    await storagePool().query(
      `update bucket_locations set registered_at = now() - interval '1 year' where bucket_id = $1`,
      [id]
    )
    assert.equal((await callStorage(owner, 'DELETE', `/buckets/${id}`)).status, 202)
    assert.equal(await objectsOf(id, 'own'), 0)
    const { rows } = await storagePool().query(
      `select registered_at > now() - interval '1 minute' as "isNew" from bucket_locations where bucket_id = $1`,
      [id]
    )
    assert.deepEqual(rows, [{ isNew: true }])
    await removeLocations(id)
  })

  test('a change succeeds while the store is unavailable, and the location remains for the sweep', async ({
    assert,
    cleanup,
  }) => {
    const owner = person(REALM)
    const { id } = await aBucket({ actorType: 'user', actorId: owner.actor.id })
    await aFile(id)
    const bringBack = await withoutStore()
    cleanup(bringBack)
    assert.equal((await callStorage(owner, 'DELETE', `/buckets/${id}`)).status, 202)
    assert.deepEqual(await layoutsOf(id), ['own'])
    await bringBack()
    assert.equal(await objectsOf(id, 'own'), 1)
    await removeLocations(id)
    assert.isFalse(await isThere(folderOf(id)))
    assert.isEmpty(await layoutsOf(id))
  })

  const realm = REALM
  const cases = [
    ['who made it', true, [], realm, 'site', 202, 202],
    ['who made it, of another realm now', true, [], ELSEWHERE, 'site', 202, 202],
    ['of its realm without a permission', false, [], realm, 'site', 403, 403],
    ['of its realm who may change buckets', false, ['bucket_update'], realm, 'site', 202, 403],
    ['of its realm who may delete buckets', false, ['bucket_delete'], realm, 'site', 403, 202],
    [
      'of another realm who may do both',
      false,
      ['bucket_update', 'bucket_delete'],
      ELSEWHERE,
      'site',
      403,
      403,
    ],
    [
      'of the master realm who may do both',
      false,
      ['bucket_update', 'bucket_delete'],
      REALMS.master,
      'master',
      202,
      202,
    ],
    ['of the master realm without a permission', false, [], REALMS.master, 'master', 403, 403],
  ] as const

  for (const [who, isOwner, permissions, realmId, realmName, onUpdate, onDelete] of cases) {
    for (const kind of ['user', 'client', 'robot'] as const) {
      test(`by a ${kind} ${who} is answered with ${onUpdate} and ${onDelete}`, async ({
        assert,
      }) => {
        const caller = person(realmId, [...permissions], { realmName, kind })
        const owner = isOwner
          ? { actorType: kind, actorId: caller.actor.id }
          : { actorType: kind === 'user' ? 'client' : 'user', actorId: caller.actor.id }
        const { id } = await aBucket({ realmId: realm, ...owner })
        assert.equal((await callStorage(caller, 'POST', `/buckets/${id}`, {})).status, onUpdate)
        assert.equal((await callStorage(caller, 'DELETE', `/buckets/${id}`)).status, onDelete)
      })
    }
  }

  test('a change of a bucket without a realm is for the master realm, unless another caller made it', async ({
    assert,
  }) => {
    const { id } = await aBucket()
    const both = ['bucket_update', 'bucket_delete']
    assert.equal((await callStorage(person(REALM, both), 'POST', `/buckets/${id}`, {})).status, 403)
    assert.equal((await callStorage(person(REALM, both), 'DELETE', `/buckets/${id}`)).status, 403)
    const master = person(REALMS.master, both, { realmName: 'master' })
    assert.equal((await callStorage(master, 'DELETE', `/buckets/${id}`)).status, 202)
  })
})
