import { randomBytes } from 'node:crypto'
import { createConnection } from 'node:net'
import { gunzipSync } from 'node:zlib'

import { test } from '@japa/runner'

import { env } from '#start/env'
import { storagePool } from '#storage/database'
import { objectStore } from '#storage/objects/store'
import { at } from '#tests/helpers/application'
import { eventually } from '#tests/helpers/eventually'
import { identity, REALMS } from '#tests/helpers/identities'
import {
  callBucket,
  newBucket,
  openRequest,
  locationOf,
  sha256,
  somebody,
  uploaded,
  type StoredFile,
} from './files_scene.js'

const MIB = 1024 ** 2
const GZIP = { 'accept-encoding': 'gzip, deflate, br' }

const pathOf = ({ id }: StoredFile) => `/bucket-files/${id}/stream`
const addressOf = ({ bucketId, hash }: StoredFile) => {
  const { container, prefix } = locationOf(bucketId)
  return { container, key: prefix + hash }
}

async function fileWith(content: Uint8Array, path = 'data.bin'): Promise<StoredFile> {
  const [file] = await uploaded(await newBucket(), [{ path, content }])
  return file!
}

/** Replaces the content of an object. */
async function replaceObject(file: StoredFile, bytes: Buffer): Promise<void> {
  const store = await objectStore()
  await store.delete(addressOf(file))
  await store.put(
    addressOf(file),
    (async function* () {
      yield bytes
    })()
  )
}

test.group('Downloads | a file', () => {
  test('a file comes back byte by byte, with its digest as the tag of its version', async ({
    assert,
  }) => {
    const content = randomBytes(3 * MIB + 17)
    const file = await fileWith(content, 'folder/Ü "1".bin')
    const { status, headers, body } = await callBucket(pathOf(file), GZIP)
    assert.equal(status, 200)
    assert.isTrue(body.equals(content))
    assert.equal(headers['content-length'], String(content.length))
    assert.equal(headers.etag, `"${sha256(content)}"`)
    assert.equal(headers['content-type'], 'application/octet-stream')
    assert.equal(headers['accept-ranges'], 'bytes')
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.notProperty(headers, 'content-encoding')
    assert.closeTo(Date.parse(headers['last-modified']!), Date.now(), 10_000)
    assert.equal(
      headers['content-disposition'],
      `attachment; filename="? \\"1\\".bin"; filename*=UTF-8''%C3%9C%20%221%22.bin`
    )
  })

  test('with nothing in it comes back as that', async ({ assert }) => {
    const { status, headers, body } = await callBucket(pathOf(await fileWith(Buffer.alloc(0))))
    assert.deepEqual([status, headers['content-length'], body.length], [200, '0', 0])
  })

  test('a file of the type of its name is packed for clients that take that, under a tag of its own', async ({
    assert,
  }) => {
    const content = Buffer.from(JSON.stringify({ a: 'b'.repeat(1_000) }))
    const file = await fileWith(content, 'x.json')
    const packed = await callBucket(pathOf(file), GZIP)
    assert.equal(packed.headers['content-encoding'], 'gzip')
    assert.equal(packed.headers['content-type'], 'application/json; charset=utf-8')
    assert.match(packed.headers.vary!, /accept-encoding/i)
    assert.notProperty(packed.headers, 'content-length')
    assert.isTrue(gunzipSync(packed.body).equals(content))

    const plain = await callBucket(pathOf(file), { 'accept-encoding': 'gzip;q=0' })
    assert.notProperty(plain.headers, 'content-encoding')
    assert.match(plain.headers.vary!, /accept-encoding/i)
    assert.isTrue(plain.body.equals(content))
    assert.notEqual(plain.headers.etag, packed.headers.etag)

    for (const { etag } of [packed.headers]) {
      const again = await callBucket(pathOf(file), { ...GZIP, 'if-none-match': etag! })
      assert.deepEqual([again.status, again.body.length], [304, 0])
      assert.equal(again.headers.etag, etag)
      assert.equal((await callBucket(pathOf(file), { 'if-none-match': etag! })).status, 200)
    }
  })

  test('that is packed already is not packed again: {$self}')
    .with(['a.png', 'a.zip', 'a.gz', 'a.mp4', 'a.parquet', 'without-extension'])
    .run(async ({ assert }, path) => {
      const { headers } = await callBucket(pathOf(await fileWith(Buffer.alloc(1_000), path)), GZIP)
      assert.notProperty(headers, 'content-encoding')
    })

  test('a file can be inspected with HEAD', async ({ assert }) => {
    const file = await fileWith(randomBytes(1_000))
    const { status, headers, body } = await callBucket(pathOf(file), {}, 'HEAD')
    assert.deepEqual([status, headers['content-length'], body.length], [200, '1000', 0])
    assert.equal(headers.etag, (await callBucket(pathOf(file))).headers.etag)
  })

  test('a file is for callers who reach it, by a header or by the cookie of our own pages', async ({
    assert,
  }) => {
    const file = await fileWith(Buffer.from('a'))
    const requested = async (headers: Record<string, string>) => {
      const { request, answer } = openRequest(pathOf(file), headers, 'GET')
      request.end()
      return (await answer).status
    }
    const stranger = identity({ realmId: REALMS.other, realmName: 'other', permissions: [] })
    const cookie = `${env.COOKIE_PREFIX}access_token=${somebody.token}`
    assert.equal(await requested({}), 401)
    assert.equal(await requested(stranger.headers), 403)
    assert.equal(await requested({ cookie }), 200)
    assert.equal(await requested({ cookie, 'sec-fetch-site': 'cross-site' }), 401)
  })

  test('that is not there is not found: {$self}')
    .with(['aaaaaaaa-0000-4000-8000-00000000dead', 'no-id'])
    .run(async ({ assert }, id) => {
      const { status, body } = await callBucket(`/bucket-files/${id}/stream`)
      assert.equal(status, 404)
      assert.match(JSON.parse(body.toString()).message, /The bucket-file was not found/)
    })
})

test.group('Downloads | parts and versions', (group) => {
  const content = randomBytes(1_000)
  let file: StoredFile
  group.setup(async () => {
    file = await fileWith(content, 'a.txt')
  })

  test('{0} is answered with {1}: {2}')
    .with([
      ['bytes=0-0', 206, 'bytes 0-0/1000'],
      ['bytes=10-19', 206, 'bytes 10-19/1000'],
      ['bytes=990-', 206, 'bytes 990-999/1000'],
      ['bytes=-5', 206, 'bytes 995-999/1000'],
      ['bytes=0-99999', 206, 'bytes 0-999/1000'],
      ['bytes=1000-', 416, 'bytes */1000'],
      ['bytes=-0', 416, 'bytes */1000'],
      ['bytes=0-1,5-6', 200, undefined],
      ['lines=1-2', 200, undefined],
    ] as const)
    .run(async ({ assert }, [range, status, contentRange]) => {
      const answered = await callBucket(pathOf(file), { range, ...GZIP })
      assert.equal(answered.status, status)
      assert.equal(answered.headers['content-range'], contentRange)
      assert.notProperty(answered.headers, 'content-encoding')
      if (status === 206) {
        const [start, end] = contentRange.match(/\d+/g)!.map(Number) as [number, number]
        assert.isTrue(answered.body.equals(content.subarray(start, end + 1)))
        assert.equal(answered.headers['content-length'], String(end - start + 1))
      }
    })

  test('conditions are met: {0}')
    .with([
      ['the same version', (tag: string) => ({ 'if-none-match': tag }), 304],
      ['any version', () => ({ 'if-none-match': '*' }), 304],
      ['another version', () => ({ 'if-none-match': '"x"' }), 200],
      ['only the same version', (tag: string) => ({ 'if-match': tag }), 200],
      ['only another version', () => ({ 'if-match': '"x"' }), 412],
      ['not since', () => ({ 'if-modified-since': new Date().toUTCString() }), 304],
      ['only if older', () => ({ 'if-unmodified-since': new Date(0).toUTCString() }), 412],
      ['a part of the same', (tag: string) => ({ 'range': 'bytes=0-1', 'if-range': tag }), 206],
      ['a part of another', () => ({ 'range': 'bytes=0-1', 'if-range': '"x"' }), 200],
    ] as [string, (tag: string) => Record<string, string>, number][])
    .run(async ({ assert }, [, headersFor, status]) => {
      const tag = (await callBucket(pathOf(file))).headers.etag!
      assert.equal((await callBucket(pathOf(file), headersFor(tag))).status, status)
    })

  test('a file without a digest has a stable tag', async ({ assert }) => {
    const old = await fileWith(Buffer.from('a'))
    await storagePool().query('update bucket_files set sha256 = null where id = $1', [old.id])
    const { etag } = (await callBucket(pathOf(old))).headers
    assert.match(etag!, /^"[\da-f]{64}"$/)
    assert.equal((await callBucket(pathOf(old), { 'if-none-match': etag! })).status, 304)
  })

  test('a file whose size was never recorded is measured', async ({ assert }) => {
    const old = await fileWith(Buffer.from('abc'))
    await storagePool().query('update bucket_files set size = null where id = $1', [old.id])
    const { headers, body } = await callBucket(pathOf(old))
    assert.deepEqual([headers['content-length'], body.toString()], ['3', 'abc'])
  })
})

test.group('Downloads | damage and departure', () => {
  test('a file without its object is not found, before any byte: {$self}')
    .with(['GET', 'HEAD'])
    .run(async ({ assert }, method) => {
      const file = await fileWith(Buffer.alloc(1_000), 'a.txt')
      await (await objectStore()).delete(addressOf(file))
      const { status, headers, body } = await callBucket(pathOf(file), GZIP, method)
      assert.equal(status, 404)
      assert.notProperty(headers, 'content-encoding')
      if (method === 'GET') {
        assert.equal(JSON.parse(body.toString()).code, 'entity_not_found')
      }
    })

  test('an object with {0} bytes instead of 1,000,000 breaks the connection')
    .with([
      [999_999, {}],
      [1_000_001, {}],
      [999_999, GZIP],
      [1_000_001, GZIP],
    ] as [number, Record<string, string>][])
    .run(async ({ assert }, [size, headers]) => {
      const file = await fileWith(randomBytes(1_000_000), 'a.txt')
      await replaceObject(file, randomBytes(size))
      await assert.rejects(
        () => callBucket(pathOf(file), headers),
        /aborted|reset|hang up|terminated/
      )
    })

  test('a disconnected reader releases the object, and uses no database connection', async ({
    assert,
  }) => {
    const file = await fileWith(randomBytes(16 * MIB))
    const openFiles = await countOpenFiles()
    const readers = Array.from({ length: 30 }, () => {
      const url = new URL(at('storage', pathOf(file)))
      const socket = createConnection(Number(url.port), url.hostname)
      const lines = [
        `GET ${url.pathname} HTTP/1.1`,
        'host: a',
        `authorization: Bearer ${somebody.token}`,
      ]
      socket.write(`${lines.join('\r\n')}\r\n\r\n`)
      return new Promise<typeof socket>((resolve) => socket.once('readable', () => resolve(socket)))
    })
    const sockets = await Promise.all(readers)
    if (!env.S3_ENDPOINT) {
      await eventually(async () => (await countOpenFiles()) >= openFiles + 30)
    }
    // Other work may use one for a moment.
    await eventually(() => storagePool().idleCount === storagePool().totalCount)
    assert.equal((await callBucket(`/bucket-files/${file.id}`)).status, 200)
    sockets.forEach((socket) => socket.destroy())
    await eventually(async () => (await countOpenFiles()) <= openFiles)
  })
})

async function countOpenFiles(): Promise<number> {
  const { readdir, readlink } = await import('node:fs/promises')
  const links = await Promise.all(
    (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => ''))
  )
  return links.filter((link) => link.startsWith(env.STORAGE_PATH) || link.includes('/objects/'))
    .length
}
