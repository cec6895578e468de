import { test } from '@japa/runner'

import { analysis } from '#core/analyses/analysis'
import { analysisBucket } from '#core/analysis_buckets/analysis_bucket'
import { analysisNode } from '#core/analysis_nodes/analysis_node'
import { node } from '#core/nodes/node'
import { databaseUrl } from '#database/addresses'
import { pools } from '#database/pools'
import { clock } from '#kernel/clock'
import { storagePool } from '#storage/database'
import { storageSettings } from '#storage/storage_settings'
import { at } from '#tests/helpers/application'
import { sampleRecord } from '#tests/helpers/sample_records'
import { useSettings } from '#tests/helpers/settings'

import { aBucket, aFile, callStorage, eventsAbout, person } from './storage_scene.js'

type Caller = ReturnType<typeof person>
type Type = 'CODE' | 'RESULT' | 'TEMP'

const INSTITUTE = clock.uuid()
const HOSPITAL = clock.uuid()
const TYPES: readonly Type[] = ['CODE', 'RESULT', 'TEMP']
const READS = [
  'analysis_update',
  'analysis_approve',
  'analysis_execution_start',
  'analysis_execution_stop',
  'bucket_update',
  'bucket_delete',
]

/** An analysis of the institute with a bucket of each type, and the hospital's node that decides about it. */
async function anAnalysis(decision: 'approved' | 'rejected' | null = null, realmId = INSTITUTE) {
  const client = person(realmId, [], { kind: 'client' })
  const creator = person(realmId)
  const nodeClient = person(HOSPITAL, ['analysis_update'], { kind: 'client' })
  const values = { realmId, clientId: client.actor.id, userId: creator.actor.id }
  const { id } = await sampleRecord('core', analysis, values)
  const { id: nodeId } = await sampleRecord('core', node, {
    clientId: nodeClient.actor.id,
    realmId: HOSPITAL,
  })
  const part = { nodeId, analysisId: id, nodeRealmId: HOSPITAL, analysisRealmId: realmId }
  const { id: partId } = await sampleRecord('core', analysisNode, part)
  await pools
    .for(databaseUrl('core'))
    .query('update analysis_nodes set approval_status = $2 where id = $1', [partId, decision])
  const buckets = {} as Record<Type, { id: string; file: string }>
  for (const type of TYPES) {
    const bucket = await aBucket({ realmId, refType: 'analysis', refId: id })
    await sampleRecord('core', analysisBucket, { bucketId: bucket.id, analysisId: id, type })
    buckets[type] = { id: bucket.id, file: (await aFile(bucket.id, { realmId: HOSPITAL })).id }
  }
  return { id: id as string, client, creator, nodeClient, buckets }
}

/** The status of a stream, which need not be JSON. */
async function statusOf(by: Caller, path: string, init: RequestInit = {}): Promise<number> {
  const response = await fetch(at('storage', path), {
    ...init,
    headers: { ...by.headers, ...(init.headers as Record<string, string>) },
  })
  await response.arrayBuffer()
  return response.status
}

const uploading = (): RequestInit => {
  const body = new FormData()
  body.append('file', new Blob(['content']), `${clock.uuid()}.txt`)
  return { method: 'POST', body }
}

async function isListed(by: Caller, path: string): Promise<boolean> {
  const { status, body } = await callStorage(by, 'GET', path)
  if (status !== 200 || body.data.length !== body.meta.total) {
    throw new Error(`${path}: ${status} ${JSON.stringify(body)}`)
  }
  return body.meta.total > 0
}

/** Whether every way of reading a bucket and its file is open; throws if they differ. */
async function reads(by: Caller, { id, file }: { id: string; file: string }): Promise<boolean> {
  const paths = [`/buckets/${id}`, `/buckets/${id}/files`, `/buckets/${id}/stream`]
  const ofFile = [`/bucket-files/${file}`, `/bucket-files/${file}?include=bucket`]
  const statuses = await Promise.all(
    [...paths, ...ofFile, `/bucket-files/${file}/stream`].map((path) => statusOf(by, path))
  )
  const lists = await Promise.all(
    [
      `/buckets?filter[id]=${id}`,
      `/bucket-files?filter[bucketId]=${id}`,
      `/bucket-files?filter[id]=${file}&include=bucket`,
      `/bucket-files?filter[id]=${file}&sort=-createdAt`,
    ].map((path) => isListed(by, path))
  )
  const answers = [...statuses.map((status) => status === 200), ...lists]
  if (new Set(answers).size !== 1) {
    throw new Error(`${statuses.join()} ${lists.join()}`)
  }
  return answers[0]!
}

/** Whether files can be added, in one request and in several; throws if they differ. */
async function writes(by: Caller, { id }: { id: string }): Promise<boolean> {
  const whole = await statusOf(by, `/buckets/${id}/upload`, uploading())
  const filename = Buffer.from(`${clock.uuid()}.txt`).toString('base64')
  const resumed = await statusOf(by, `/buckets/${id}/resumable`, {
    method: 'POST',
    headers: {
      'tus-resumable': '1.0.0',
      'upload-length': '3',
      'upload-metadata': `filename ${filename}`,
    },
  })
  if ((whole === 201) !== (resumed === 201)) {
    throw new Error(`${whole} ${resumed}`)
  }
  return whole === 201
}

async function mayDo(by: Caller, made: Awaited<ReturnType<typeof anAnalysis>>) {
  const found: Record<string, string> = {}
  for (const type of TYPES) {
    const isRead = await reads(by, made.buckets[type])
    const isWritten = await writes(by, made.buckets[type])
    found[type] = `${isRead ? 'r' : '-'}${isWritten ? 'w' : '-'}`
  }
  return found
}

const EVERYTHING = { CODE: 'rw', RESULT: 'rw', TEMP: 'rw' }
const READING = { CODE: 'r-', RESULT: 'r-', TEMP: 'r-' }
const NOTHING = { CODE: '--', RESULT: '--', TEMP: '--' }

test.group('Programs and the buckets of analyses', (group) => {
  group.setup(() => useSettings(storageSettings, { isRealmStrict: true }))

  test('the client of an analysis reaches its analysis and nothing else of its realm', async ({
    assert,
  }) => {
    const own = await anAnalysis()
    const other = await anAnalysis()
    assert.deepEqual(await mayDo(own.client, own), EVERYTHING)
    assert.deepEqual(await mayDo(own.client, other), NOTHING)
    for (const realmId of [INSTITUTE, null]) {
      const plain = await aBucket({ realmId })
      const { id: file } = await aFile(plain.id, { realmId: INSTITUTE })
      assert.isFalse(await reads(own.client, { id: plain.id, file }))
      assert.isFalse(await writes(own.client, plain))
    }
  })

  test('no permission widens the reach of such a client, nor does the master realm', async ({
    assert,
  }) => {
    const other = await anAnalysis()
    const everything = [...READS, 'bucket_create']
    for (const traits of [{}, { realmName: 'master' }]) {
      const client = person(INSTITUTE, everything, { kind: 'client', ...traits })
      const own = await sampleRecord('core', analysis, {
        realmId: INSTITUTE,
        clientId: client.actor.id,
      })
      assert.deepEqual(await mayDo(client, other), NOTHING)
      const { id, file } = other.buckets.RESULT
      for (const [method, path] of [
        ['DELETE', `/bucket-files/${file}`],
        ['POST', `/buckets/${id}`],
        ['DELETE', `/buckets/${id}`],
      ] as const) {
        assert.equal((await callStorage(client, method, path)).status, 403, path)
      }
      const bucket = { name: `made-${clock.uuid()}`, realmId: INSTITUTE, refType: 'analysis' }
      const create = (refId: unknown) =>
        callStorage(client, 'POST', '/buckets', { ...bucket, refId })
      assert.equal((await create(other.id)).status, 403)
      assert.equal((await create(own.id)).status, 201)
    }
  })

  test('the client of a node that approved reads code, and writes results and intermediate data', async ({
    assert,
  }) => {
    const made = await anAnalysis('approved')
    const expected = { CODE: 'r-', RESULT: 'rw', TEMP: 'rw' }
    assert.deepEqual(await mayDo(made.nodeClient, made), expected)
    assert.deepEqual(await mayDo(made.nodeClient, await anAnalysis('approved')), NOTHING)
    for (const decision of ['rejected', null] as const) {
      const open = await anAnalysis(decision)
      assert.deepEqual(await mayDo(open.nodeClient, open), NOTHING)
    }
  })

  test('the client of a node has no more in its own realm', async ({ assert }) => {
    const made = await anAnalysis(null, HOSPITAL)
    assert.deepEqual(await mayDo(made.nodeClient, made), NOTHING)
    const code = await anAnalysis('approved', HOSPITAL)
    const { id, file } = code.buckets.CODE
    const { id: own } = await aFile(id, {
      actorType: 'client',
      actorId: code.nodeClient.actor.id,
      realmId: HOSPITAL,
    })
    for (const one of [file, own]) {
      const { status } = await callStorage(code.nodeClient, 'DELETE', `/bucket-files/${one}`)
      assert.equal(status, 403)
    }
  })

  test('an upload that a node began ends with its approval', async ({ assert }) => {
    const made = await anAnalysis('approved')
    const { nodeClient: by, buckets } = made
    const metadata = `filename ${Buffer.from('late.txt').toString('base64')}`
    const started = await fetch(at('storage', `/buckets/${buckets.RESULT.id}/resumable`), {
      method: 'POST',
      headers: {
        ...by.headers,
        'tus-resumable': '1.0.0',
        'upload-length': '3',
        'upload-metadata': metadata,
      },
    })
    assert.equal(started.status, 201)
    const upload = started.headers.get('location')!.split('/').at(-1)
    await storagePool().query(`update buckets set ref_id = $2 where id = $1`, [
      buckets.RESULT.id,
      clock.uuid(),
    ])
    const status = await statusOf(by, `/buckets/${buckets.RESULT.id}/resumable/${upload}`, {
      method: 'PATCH',
      headers: {
        'tus-resumable': '1.0.0',
        'upload-offset': '0',
        'content-type': 'application/offset+octet-stream',
      },
      body: 'abc',
    })
    assert.equal(status, 403)
  })

  test('other clients and robots are as people of their realm', async ({ assert }) => {
    const made = await anAnalysis()
    for (const kind of ['client', 'robot'] as const) {
      assert.deepEqual(await mayDo(person(INSTITUTE, [], { kind }), made), NOTHING)
      const holder = person(INSTITUTE, ['bucket_update'], { kind })
      assert.deepEqual(await mayDo(holder, made), EVERYTHING)
    }
  })

  test('whoever builds images reads code, by every way to a single bucket or file', async ({
    assert,
  }) => {
    const { buckets } = await anAnalysis()
    const traits = { kind: 'client', realmName: 'master' } as const
    const builder = person(clock.uuid(), ['registry_manage'], traits)
    const statuses = ({ id, file }: { id: string; file: string }) =>
      Promise.all(
        [`/buckets/${id}/files`, `/buckets/${id}/stream`, `/bucket-files/${file}/stream`].map(
          (path) => statusOf(builder, path)
        )
      )
    assert.deepEqual(await statuses(buckets.CODE), [200, 200, 200])
    assert.deepEqual(await statuses(buckets.RESULT), [403, 403, 403])
  })
})

test.group('People and the buckets of analyses', (group) => {
  group.setup(() => useSettings(storageSettings, { isRealmStrict: true }))

  test('people of the realm need a permission', async ({ assert }) => {
    const made = await anAnalysis('approved')
    assert.deepEqual(await mayDo(person(INSTITUTE), made), NOTHING)
    for (const permission of READS) {
      const isWriter = ['analysis_update', 'bucket_update'].includes(permission)
      const expected = isWriter ? EVERYTHING : READING
      assert.deepEqual(await mayDo(person(INSTITUTE, [permission]), made), expected, permission)
      const central = person(clock.uuid(), [permission], { realmName: 'master' })
      assert.deepEqual(await mayDo(central, made), expected, permission)
    }
    const central = person(clock.uuid(), ['service_manage'], { realmName: 'master' })
    assert.deepEqual(await mayDo(central, made), NOTHING)
  })

  test('whoever created the analysis or the bucket needs none', async ({ assert }) => {
    const made = await anAnalysis()
    assert.deepEqual(await mayDo(made.creator, made), EVERYTHING)
    const owner = person(INSTITUTE)
    const { id } = await aBucket({
      realmId: INSTITUTE,
      refType: 'analysis',
      refId: made.id,
      actorType: 'user',
      actorId: owner.actor.id,
    })
    const { id: file } = await aFile(id)
    assert.isTrue(await reads(owner, { id, file }))
    assert.isTrue(await writes(owner, { id }))
  })

  test('an analysis that was just created is not denied by what was known before', async ({
    assert,
  }) => {
    const creator = person(INSTITUTE)
    assert.equal((await callStorage(creator, 'GET', '/buckets')).status, 200)
    const { id } = await sampleRecord('core', analysis, {
      realmId: INSTITUTE,
      userId: creator.actor.id,
    })
    const bucket = await aBucket({ realmId: INSTITUTE, refType: 'analysis', refId: id })
    assert.equal((await callStorage(creator, 'GET', `/buckets/${bucket.id}`)).status, 200)
    assert.isTrue(await writes(creator, bucket))
  })

  test('files in the bucket of an analysis are not open to the realm of their sender', async ({
    assert,
  }) => {
    const { buckets } = await anAnalysis('approved')
    const { file } = buckets.RESULT
    for (const permissions of [[], READS]) {
      const other = person(HOSPITAL, permissions)
      assert.isFalse(await isListed(other, `/bucket-files?filter[id]=${file}`))
      assert.equal(await statusOf(other, `/bucket-files/${file}/stream`), 403)
      assert.equal((await callStorage(other, 'DELETE', `/bucket-files/${file}`)).status, 403)
    }
  })

  test('writers remove files, others do not', async ({ assert }) => {
    const { buckets, creator } = await anAnalysis()
    const remove = (by: Caller, type: Type) =>
      callStorage(by, 'DELETE', `/bucket-files/${buckets[type].file}`)
    assert.equal((await remove(person(INSTITUTE, ['analysis_approve']), 'CODE')).status, 403)
    assert.equal((await remove(person(INSTITUTE, ['analysis_update']), 'CODE')).status, 202)
    assert.equal((await remove(creator, 'RESULT')).status, 202)
  })

  test('a bucket for an analysis of another realm is not made', async ({ assert }) => {
    const { id } = await anAnalysis()
    const create = (by: Caller, refId: string) =>
      callStorage(by, 'POST', '/buckets', { name: 'mine', refType: 'analysis', refId })
    const stranger = person(HOSPITAL, [...READS, 'bucket_create'])
    assert.equal((await create(stranger, id)).status, 403)
    const colleague = person(INSTITUTE, ['bucket_create'])
    assert.equal((await create(colleague, id)).status, 403)
    assert.equal(
      (await create(person(INSTITUTE, ['bucket_create', 'analysis_update']), id)).status,
      201
    )
  })
})

test.group('Reading code to decide', (group) => {
  group.setup(() => useSettings(storageSettings, { isRealmStrict: true }))

  const ONLY_CODE = { CODE: 'r-', RESULT: '--', TEMP: '--' }

  for (const decision of ['approved', 'rejected', null] as const) {
    test(`whoever approves for an assigned node reads code, and nothing else: ${decision}`, async ({
      assert,
    }) => {
      const made = await anAnalysis(decision)
      assert.deepEqual(await mayDo(person(HOSPITAL, ['analysis_approve']), made), ONLY_CODE)
      assert.deepEqual(await mayDo(person(HOSPITAL), made), NOTHING)
      assert.deepEqual(await mayDo(person(HOSPITAL, ['analysis_update']), made), NOTHING)
      assert.deepEqual(await mayDo(person(clock.uuid(), READS), made), NOTHING)
    })
  }

  test('each stream is an event in the realm of the analysis, a list is not', async ({
    assert,
  }) => {
    const { buckets } = await anAnalysis()
    const { id, file } = buckets.CODE
    const decider = person(HOSPITAL, ['analysis_approve'])
    const noted = async () => {
      const { rows } = await storagePool().query(
        `select content->'security' as event from outbox
         where content->'security'->>'id' = any($1) order by position`,
        [[id, file]]
      )
      return rows.map(({ event }) => [event.event, event.subject, event.id, event.realmId])
    }
    await callStorage(decider, 'GET', `/buckets/${id}/files`)
    assert.isEmpty(await noted())
    await statusOf(decider, `/bucket-files/${file}/stream`)
    await statusOf(decider, `/buckets/${id}/stream`)
    assert.deepEqual(await noted(), [
      ['codeRead', 'bucketFile', file, INSTITUTE],
      ['codeRead', 'bucket', id, INSTITUTE],
    ])
    await statusOf(person(INSTITUTE, ['analysis_approve']), `/bucket-files/${file}/stream`)
    assert.lengthOf(await noted(), 2)
    assert.isEmpty(await eventsAbout(file))
  })
})
