import { test } from '@japa/runner'

import { address, useInstallation } from './installation.js'
import { accessToken } from './login.js'
import { requireDeleted, uniqueName, type Answer } from './records.js'

type Cleanup = (handler: () => Promise<void>) => void

const ATTRIBUTES = [
  'id',
  'name',
  'region',
  'createdAt',
  'updatedAt',
  'realmId',
  'actorId',
  'actorType',
]

/** Asks storage, as a caller who may do everything. */
async function request(
  path: string,
  { method = 'GET', json, form }: { method?: string; json?: object; form?: FormData } = {}
): Promise<Answer & { bytes: Buffer }> {
  const response = await fetch(address('storage', path), {
    method,
    headers: {
      authorization: `Bearer ${await accessToken()}`,
      ...(json && { 'content-type': 'application/json' }),
    },
    body: json ? JSON.stringify(json) : form,
  })
  const bytes = Buffer.from(await response.arrayBuffer())
  const isJson = response.headers.get('content-disposition') === null && bytes.length > 0
  return {
    status: response.status,
    headers: response.headers,
    body: isJson ? JSON.parse(bytes.toString()) : undefined,
    bytes,
  }
}

async function aBucket(cleanup: Cleanup, name = uniqueName()) {
  const { status, body } = await request('/buckets', { method: 'POST', json: { name } })
  if (status !== 201) {
    throw new Error(`No bucket was made: ${status} ${JSON.stringify(body)}`)
  }
  cleanup(() => removeBucket(body.data.id))
  return body.data as { id: string; name: string }
}

async function removeBucket(id: string): Promise<void> {
  const path = `/buckets/${id}`
  requireDeleted(path, await request(path, { method: 'DELETE' }))
}

function filesOf(files: Record<string, string>): FormData {
  const form = new FormData()
  for (const [path, content] of Object.entries(files)) {
    form.append('file', new Blob([content]), path)
  }
  return form
}

const upload = (bucketId: string, files: Record<string, string>) =>
  request(`/buckets/${bucketId}/upload`, { method: 'POST', form: filesOf(files) })

test.group('Interface: storage', (group) => {
  useInstallation(group)

  test('What the service does row 2: storage keeps buckets and files, uploaded and streamed back', async ({
    assert,
    cleanup,
  }) => {
    const { id } = await aBucket(cleanup)
    const { body } = await upload(id, { 'data/a.txt': 'what was sent' })
    const { bytes } = await request(`/bucket-files/${body.data[0].id}/stream`)
    assert.equal(bytes.toString(), 'what was sent')
  })

  test('Endpoints / Storage service row 2: buckets are listed with schema', async ({
    assert,
    cleanup,
  }) => {
    const { id } = await aBucket(cleanup)
    const { status, body } = await request(`/buckets?filter[id]=${id}`)
    assert.equal(status, 200)
    assert.equal(body.meta.total, 1)
    assert.sameMembers(Object.keys(body.data[0]), ATTRIBUTES)
    assert.equal(body.meta.schema.name, 'bucket')
  })

  test('Endpoints / Storage service row 3: a bucket is read with schema', async ({
    assert,
    cleanup,
  }) => {
    const { id, name } = await aBucket(cleanup)
    for (const path of [`/buckets/${id}`, `/buckets/${name}`]) {
      const { status, body } = await request(path)
      assert.equal(status, 200)
      assert.equal(body.data.id, id)
      assert.equal(body.meta.schema.name, 'bucket')
    }
  })

  test('Endpoints / Storage service row 4: a bucket is created by name', async ({
    assert,
    cleanup,
  }) => {
    const name = uniqueName()
    const { status, body } = await request('/buckets', { method: 'POST', json: { name } })
    cleanup(() => removeBucket(body.data.id))
    assert.equal(status, 201)
    assert.equal(body.data.name, name)
    assert.deepEqual(body.meta, {})
  })

  test('Endpoints / Storage service row 5: a bucket is updated by POST', async ({
    assert,
    cleanup,
  }) => {
    const { id, name } = await aBucket(cleanup)
    const { status, body } = await request(`/buckets/${id}`, { method: 'POST', json: {} })
    assert.equal(status, 202)
    assert.equal(body.data.name, name)
    assert.deepEqual(body.meta, {})
  })

  test('Endpoints / Storage service row 6: a bucket is deleted', async ({ assert, cleanup }) => {
    const { id } = await aBucket(cleanup)
    const { status, body } = await request(`/buckets/${id}`, { method: 'DELETE' })
    assert.equal(status, 202)
    assert.equal(body.data.id, id)
    assert.equal((await request(`/buckets/${id}`)).status, 404)
  })

  test('Endpoints / Storage service row 7: an upload answers its files and their number', async ({
    assert,
    cleanup,
  }) => {
    const { id } = await aBucket(cleanup)
    const { status, body } = await upload(id, { 'code/main.py': 'print(1)', 'b.txt': '' })
    assert.equal(status, 201)
    assert.deepEqual(body.meta, { total: 2 })
    assert.containsSubset(body.data[0], {
      name: 'main.py',
      path: 'code/main.py',
      directory: 'code',
      size: 8,
      bucketId: id,
    })
  })

  test('Endpoints / Storage service row 8: a bucket is streamed as a tar attachment', async ({
    assert,
    cleanup,
  }) => {
    const { id } = await aBucket(cleanup)
    await upload(id, { 'code/main.py': 'print(1)' })
    const { status, headers, bytes } = await request(`/buckets/${id}/stream`)
    assert.equal(status, 200)
    assert.include(headers.get('content-type'), 'application/x-tar')
    assert.match(headers.get('content-disposition')!, /^attachment.*\.tar/)
    assert.include(bytes.toString('latin1'), 'code/main.py')
    assert.equal(bytes.length % 512, 0)
  })

  test('Endpoints / Storage service row 9: bucket files are listed with schema', async ({
    assert,
    cleanup,
  }) => {
    const { id } = await aBucket(cleanup)
    await upload(id, { 'a.txt': 'a' })
    const { status, body } = await request(`/bucket-files?filter[bucketId]=${id}&include=bucket`)
    assert.equal(status, 200)
    assert.equal(body.data[0].bucket.id, id)
    assert.equal(body.meta.schema.name, 'bucketFile')
  })

  test('Endpoints / Storage service row 10: a bucket file is read with schema', async ({
    assert,
    cleanup,
  }) => {
    const { id } = await aBucket(cleanup)
    const sent = await upload(id, { 'a.txt': 'a' })
    const { status, body } = await request(`/bucket-files/${sent.body.data[0].id}`)
    assert.equal(status, 200)
    assert.deepEqual(body.data, sent.body.data[0])
    assert.equal(body.meta.schema.name, 'bucketFile')
  })

  test('Endpoints / Storage service row 11: a bucket file is deleted', async ({
    assert,
    cleanup,
  }) => {
    const { id } = await aBucket(cleanup)
    const { body } = await upload(id, { 'a.txt': 'a' })
    const path = `/bucket-files/${body.data[0].id}`
    assert.equal((await request(path, { method: 'DELETE' })).status, 202)
    assert.equal((await request(path)).status, 404)
  })

  test('Endpoints / Storage service row 12: a bucket file is streamed as an attachment', async ({
    assert,
    cleanup,
  }) => {
    const { id } = await aBucket(cleanup)
    const sent = await upload(id, { 'a.json': '{"a":1}' })
    const { status, headers, bytes } = await request(`/bucket-files/${sent.body.data[0].id}/stream`)
    assert.equal(status, 200)
    assert.include(headers.get('content-type'), 'application/json')
    assert.match(headers.get('content-disposition')!, /^attachment.*a\.json/)
    assert.equal(bytes.toString(), '{"a":1}')
  })
})
