import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { analysisBucket } from '#core/analysis_buckets/analysis_bucket'
import { analysisNode } from '#core/analysis_nodes/analysis_node'
import { node } from '#core/nodes/node'
import { databaseUrl } from '#database/addresses'
import { pools } from '#database/pools'
import { clock, overrideClock } from '#kernel/clock'
import { canAccess } from '#storage/access/bucket_access'
import { BucketFileService } from '#storage/bucket_files/bucket_file_service'
import { BucketService } from '#storage/buckets/bucket_service'
import { storageSettings } from '#storage/storage_settings'
import { identity } from '#tests/helpers/identities'
import { sampleRecord } from '#tests/helpers/sample_records'

import { aBucket, aFile, callStorage, person } from './storage_scene.js'
import { useSettings } from '#tests/helpers/settings'

const bucketFiles = () => app.container.make(BucketFileService)
const buckets = () => app.container.make(BucketService)
const HOME = clock.uuid()
const AWAY = clock.uuid()

type Caller = ReturnType<typeof person>
type Owned = 'home' | 'none'

/** A caller, and whether it may access records of a realm, records of no realm, and upload into the latter. */
const CALLERS: readonly [string, () => Caller, boolean, boolean, boolean][] = [
  ['a user of the realm', () => person(HOME), true, true, false],
  ['a client of the realm', () => person(HOME, [], { kind: 'client' }), true, true, true],
  ['a user of another realm', () => person(AWAY), false, true, false],
  ['a user of no realm', () => person(HOME, [], { realmId: null }), false, true, false],
  [
    'a user of another realm who may create',
    () => person(AWAY, ['bucket_create']),
    false,
    true,
    false,
  ],
  [
    'a user of another realm who may update',
    () => person(AWAY, ['bucket_update']),
    false,
    true,
    false,
  ],
  [
    'a user of another realm who may delete',
    () => person(AWAY, ['bucket_delete']),
    false,
    true,
    false,
  ],
  ['a client of another realm', () => person(AWAY, [], { kind: 'client' }), true, true, true],
  ['a robot of another realm', () => person(AWAY, [], { kind: 'robot' }), true, true, true],
  ['a user of the master realm', () => person(AWAY, [], { realmName: 'master' }), true, true, true],
]

const STRICT: typeof CALLERS = CALLERS.map(([who, make, ofRealm, ofNone, fills]) =>
  who.includes('client') || who.includes('robot')
    ? [who, make, who.includes('of the realm'), true, false]
    : [who, make, ofRealm, ofNone, fills]
)

const realmOf = (owned: Owned) => (owned === 'home' ? HOME : null)

async function total(by: Caller, path: string): Promise<number> {
  const { status, body } = await callStorage(by, 'GET', path)
  if (status !== 200 || body.data.length !== body.meta.total) {
    throw new Error(`${path}: ${status} ${JSON.stringify(body)}`)
  }
  return body.meta.total
}

for (const [mode, isStrict, callers] of [
  ['open to machines', false, CALLERS],
  ['closed to machines', true, STRICT],
] as const) {
  test.group(`Who reaches what, ${mode}`, (group) => {
    group.setup(() => useSettings(storageSettings, { isRealmStrict: isStrict }))

    for (const [who, make, ofRealm, ofNone, fills] of callers) {
      for (const [owned, reaches] of [
        ['home', ofRealm],
        ['none', ofNone],
      ] as const) {
        test(`${who} ${reaches ? 'reaches' : 'does not reach'} a bucket of ${owned === 'home' ? 'it' : 'no realm'}, and its files`, async ({
          assert,
        }) => {
          const caller = make()
          const bucket = await aBucket({ realmId: realmOf(owned) })
          const file = await aFile(bucket.id, { realmId: clock.uuid() })
          const listed = reaches ? 1 : 0
          const status = reaches ? 200 : 403
          assert.equal(await total(caller, `/buckets?filter[id]=${bucket.id}`), listed)
          assert.equal((await callStorage(caller, 'GET', `/buckets/${bucket.id}`)).status, status)
          assert.equal(
            (await callStorage(caller, 'GET', `/buckets/${bucket.id}?fields=id`)).status,
            status
          )
          assert.equal((await callStorage(caller, 'GET', `/buckets/${bucket.name}`)).status, status)
          assert.equal(await total(caller, `/bucket-files?filter[bucketId]=${bucket.id}`), listed)
          const including = `/bucket-files?filter[id]=${file.id}&include=bucket`
          assert.equal(await total(caller, including), listed)
          assert.equal(
            (await callStorage(caller, 'GET', `/bucket-files/${file.id}`)).status,
            status
          )
          const read = await callStorage(caller, 'GET', `/bucket-files/${file.id}?include=bucket`)
          assert.equal(read.status, status)
          if (reaches) {
            assert.equal(read.body.data.bucket.id, bucket.id)
          } else {
            assert.equal(read.body.code, 'permission_denied')
            assert.notInclude(JSON.stringify(read.body), bucket.name as string)
          }
          const row = await (await buckets()).find(bucket.id)
          assert.equal(await canAccess(caller.actor, row), reaches)
          const mayFill = owned === 'home' ? reaches : fills
          assert.equal(await canAccess(caller.actor, row, 'upload'), mayFill)
          assert.equal(
            await canAccess(caller.actor, await (await bucketFiles()).findRow(file.id)),
            reaches
          )
        })
      }
    }

    test('the caller who made a bucket reaches it from every realm; another with that id does not', async ({
      assert,
    }) => {
      for (const kind of ['user', 'client', 'robot'] as const) {
        const maker = person(AWAY, [], { kind })
        const { id } = await aBucket({
          realmId: HOME,
          actorType: kind,
          actorId: maker.actor.id,
        })
        assert.equal((await callStorage(maker, 'GET', `/buckets/${id}`)).status, 200)
        assert.equal(await total(maker, `/buckets?filter[id]=${id}`), 1)
        assert.isTrue(await canAccess(maker.actor, await (await buckets()).find(id), 'upload'))
      }
      const namesake = person(AWAY)
      const { id } = await aBucket({
        realmId: HOME,
        actorType: 'client',
        actorId: namesake.actor.id,
      })
      assert.equal((await callStorage(namesake, 'GET', `/buckets/${id}`)).status, 403)
      assert.equal(await total(namesake, `/buckets?filter[id]=${id}`), 0)
    })

    test('the caller who sent a file reaches it, and so does their realm, without its bucket', async ({
      assert,
    }) => {
      const sender = person(AWAY)
      const bucket = await aBucket({ realmId: HOME })
      const sent = await aFile(bucket.id, { actorId: sender.actor.id })
      const ofRealm = await aFile(bucket.id, { realmId: AWAY })
      for (const { id } of [sent, ofRealm]) {
        assert.equal((await callStorage(sender, 'GET', `/bucket-files/${id}`)).status, 200)
        assert.equal(await total(sender, `/bucket-files?filter[id]=${id}`), 1)
        for (const query of [
          'include=bucket',
          'include=bucket&fields[bucket]=id',
          'fields=id,bucket.name',
        ]) {
          const read = await callStorage(sender, 'GET', `/bucket-files/${id}?${query}`)
          assert.notInclude(JSON.stringify(read.body), bucket.name as string, query)
          const { body } = await callStorage(
            sender,
            'GET',
            `/bucket-files?filter[id]=${id}&${query}`
          )
          assert.notInclude(JSON.stringify(body), bucket.name as string, query)
        }
      }
      assert.equal((await callStorage(sender, 'GET', `/buckets/${bucket.id}`)).status, 403)
    })

    test('buckets that are out of reach cannot be guessed by way of their files', async ({
      assert,
    }) => {
      const sender = person(AWAY)
      const { id: bucketId, name } = await aBucket({ realmId: HOME })
      const { id } = await aFile(bucketId, { actorId: sender.actor.id })
      const answers = await Promise.all(
        [
          `filter[bucket.name]=${name}`,
          'filter[bucket.name]=nothing',
          `filter[id]=${id}&filter[bucket.name]=${name}`,
          `filter[id]=${id}&filter[bucket.name]=!${name}`,
          `include=bucket&filter[id]=${id}&filter[bucket.name]=${name}`,
          `include=bucket&filter[id]=${id}&filter[bucket.realmId]=${HOME}`,
          `include=bucket&filter[id]=${id}&filter[bucket.realmId]=!${HOME}`,
          `filter=and(eq(id,'${id}'),eq(bucket.name,'${name}'))`,
          `filter=and(eq(id,'${id}'),not(eq(bucket.name,'${name}')))`,
          `filter=or(eq(id,'${id}'),eq(bucket.name,'${name}'))`,
        ].map((query) => callStorage(sender, 'GET', `/bucket-files?${query}`))
      )
      for (const { status, body } of answers) {
        assert.include([200, 400], status)
        assert.notInclude(JSON.stringify(body.data ?? null), name as string)
        assert.isTrue(status === 400 || body.meta.total === 0, JSON.stringify(body))
      }
    })

    test('files of other realms are in no list, total or page', async ({ assert }) => {
      const caller = person(AWAY)
      const { id } = await aBucket({ realmId: HOME })
      const file = await aFile(id, { realmId: HOME, name: 'secret.txt', directory: 'hidden' })
      for (const query of [
        '',
        `filter[bucketId]=${id}`,
        `filter[realmId]=${HOME}`,
        `filter[name]=secret.txt&filter[bucketId]=${id}`,
        `filter=or(eq(bucketId,'${id}'),eq(name,'secret.txt'))`,
        `sort=-createdAt&page[limit]=50`,
      ]) {
        const { status, body } = await callStorage(caller, 'GET', `/bucket-files?${query}`)
        assert.equal(status, 200, query)
        assert.notInclude(JSON.stringify(body.data), file.id, query)
        assert.notInclude(JSON.stringify(body.data), HOME, query)
      }
      assert.equal(await total(caller, `/bucket-files?filter[bucketId]=${id}`), 0)
      assert.equal(await total(caller, `/bucket-files?filter[realmId]=${HOME}`), 0)
      assert.equal(await total(caller, `/buckets?filter[realmId]=${HOME}`), 0)
    })
  })
}

test.group('Where machines have to take part in the analysis', (group) => {
  group.setup(() => useSettings(storageSettings, { isRealmStrict: true }))

  async function taking(part: 'approved' | 'rejected' | null, client: Caller) {
    const { id: nodeId } = await sampleRecord('core', node, { clientId: client.actor.id })
    const { id, analysisId } = await sampleRecord('core', analysisNode, {
      nodeId,
      approvalStatus: part ?? 'rejected',
    })
    await pools
      .for(databaseUrl('core'))
      .query('update analysis_nodes set approval_status = $2 where id = $1', [id, part])
    return { part: id as string, analysisId: analysisId as string }
  }

  const client = () => person(AWAY, [], { kind: 'client' })

  for (const [part, reaches] of [
    ['approved', true],
    ['rejected', false],
    [null, false],
  ] as const) {
    test(`the client of a node whose part is ${part ?? 'open'} ${reaches ? 'reaches' : 'does not reach'} its buckets`, async ({
      assert,
    }) => {
      const caller = client()
      const { analysisId } = await taking(part, caller)
      const { id } = await aBucket({ realmId: HOME, refType: 'analysis', refId: analysisId })
      await sampleRecord('core', analysisBucket, { bucketId: id, analysisId, type: 'RESULT' })
      const file = await aFile(id, { realmId: HOME })
      const status = reaches ? 200 : 403
      assert.equal((await callStorage(caller, 'GET', `/buckets/${id}`)).status, status)
      assert.equal((await callStorage(caller, 'GET', `/bucket-files/${file.id}`)).status, status)
      assert.equal(await total(caller, `/buckets?filter[id]=${id}`), reaches ? 1 : 0)
      const files = `/bucket-files?filter[bucketId]=${id}&include=bucket`
      assert.equal(await total(caller, files), reaches ? 1 : 0)
      assert.equal(
        await canAccess(caller.actor, await (await buckets()).find(id), 'upload'),
        reaches
      )
    })
  }

  test('it counts only what the bucket was made for', async ({ assert }) => {
    const caller = client()
    const { analysisId } = await taking('approved', caller)
    for (const row of [
      { refType: 'analysis', refId: clock.uuid() },
      { refType: 'project', refId: analysisId },
      { refType: null, refId: analysisId },
      { refType: 'analysis', refId: null },
    ]) {
      const { id } = await aBucket({ realmId: HOME, ...row })
      assert.equal((await callStorage(caller, 'GET', `/buckets/${id}`)).status, 403)
      assert.equal(await total(caller, `/buckets?filter[id]=${id}`), 0)
    }
  })

  test('users and robots with the id of a client are not that client', async ({ assert }) => {
    for (const kind of ['user', 'robot'] as const) {
      const caller = person(AWAY, [], { kind })
      const { analysisId } = await taking('approved', caller)
      const { id } = await aBucket({ realmId: HOME, refType: 'analysis', refId: analysisId })
      assert.equal((await callStorage(caller, 'GET', `/buckets/${id}`)).status, 403)
    }
  })

  test('an approval is believed within five seconds, and for a minute', async ({
    assert,
    cleanup,
  }) => {
    let now = clock.now()
    cleanup(overrideClock({ now: () => now }))
    const caller = client()
    const { part, analysisId } = await taking(null, caller)
    const { id } = await aBucket({ realmId: HOME, refType: 'analysis', refId: analysisId })
    const file = await aFile(id, { realmId: HOME })
    const ways = [`/buckets/${id}`, `/bucket-files/${file.id}`, `/buckets/${id}/files`]
    const reached = async () => {
      const answers = await Promise.all(ways.map((path) => callStorage(caller, 'GET', path)))
      const [status, ...others] = new Set(answers.map((answer) => answer.status))
      assert.isEmpty(others)
      assert.equal(await total(caller, `/buckets?filter[id]=${id}`), status === 200 ? 1 : 0)
      return status
    }
    const decide = (approvalStatus: string | null) =>
      pools
        .for(databaseUrl('core'))
        .query('update analysis_nodes set approval_status = $2 where id = $1', [
          part,
          approvalStatus,
        ])
    assert.equal(await reached(), 403)
    await decide('approved')
    now += 4_000
    assert.equal(await reached(), 403)
    now += 2_000
    assert.equal(await reached(), 200)
    await decide(null)
    const single = async () => (await callStorage(caller, 'GET', `/buckets/${id}/files`)).status
    now += 59_000
    assert.equal(await single(), 200)
    now += 2_000
    assert.equal(await single(), 403)
  })
})

test.group('Access to storage without a login', () => {
  test('no request reaches anything without a login', async ({ assert }) => {
    const { id } = await aBucket()
    const file = await aFile(id)
    for (const [method, path] of [
      ['GET', '/buckets'],
      ['GET', `/buckets/${id}`],
      ['POST', '/buckets'],
      ['POST', `/buckets/${id}`],
      ['DELETE', `/buckets/${id}`],
      ['GET', '/bucket-files'],
      ['GET', `/bucket-files/${file.id}`],
      ['DELETE', `/bucket-files/${file.id}`],
    ] as const) {
      const { status, body } = await callStorage(undefined, method, path)
      assert.equal(status, 401, `${method} ${path}`)
      assert.equal(body.code, 'identity_unauthorized')
    }
    assert.equal((await callStorage(identity(), 'GET', `/buckets/${id}`)).status, 200)
  })
})
