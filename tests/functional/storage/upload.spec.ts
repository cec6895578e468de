import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { PayloadTooLarge } from '#kernel/failures'
import { useEventSink } from '#tests/helpers/container'
import type { RecordChange } from '#records/events'
import { BucketService } from '#storage/buckets/bucket_service'
import { Heartbeat } from '#storage/claims/heartbeat'
import { claimPath, claimPaths } from '#storage/claims/claims'
import { storagePool } from '#storage/database'
import { objectAddress } from '#storage/objects/layout'
import { activeLayout, objectStore } from '#storage/objects/store'
import { Upload } from '#storage/uploads/upload'
import { at } from '#tests/helpers/application'
import { eventually } from '#tests/helpers/eventually'
import { identity, REALMS } from '#tests/helpers/identities'
import {
  callBucket,
  BOUNDARY,
  LAST_BOUNDARY,
  multipart,
  newBucket,
  NOTHING,
  openRequest,
  partHead,
  remains,
  sha256,
  somebody,
  upload,
  uploaded,
} from './files_scene.js'

const buckets = () => app.container.make(BucketService)
const MIB = 1024 ** 2
const run = promisify(execFile)

const text = (path: string, content = path) => ({ path, content: Buffer.from(content) })

async function stored(bucketId: string, path: string) {
  const { rows } = await storagePool().query(
    'select hash, sha256, layout from bucket_files where bucket_id = $1 and path = $2',
    [bucketId, path]
  )
  return rows[0] as { hash: string; sha256: string; layout: 'own' }
}

test.group('Uploads | files', () => {
  test('files become records in the order they were sent in, with size, digest and sender', async ({
    assert,
  }) => {
    const bucketId = await newBucket()
    const large = randomBytes(5 * MIB + 1)
    const names = ['z.bin', 'src/lib/a.py', 'Übergröße ☃ 𝄞.txt', 'empty']
    const { status, body } = await upload(bucketId, [
      { path: names[0]!, content: large },
      ...names.slice(1, 3).map((name) => text(name)),
      { path: 'empty', content: Buffer.alloc(0) },
    ])
    assert.equal(status, 201)
    assert.deepEqual(body.meta, { total: 4 })
    assert.deepEqual(
      body.data.map(({ path }: any) => path),
      names
    )
    const [first, second] = body.data
    const { actor } = somebody
    assert.containsSubset(first, {
      name: 'z.bin',
      directory: '.',
      size: large.length,
      bucketId,
      actorId: actor.id,
      actorType: 'user',
      realmId: actor.realmId,
    })
    assert.match(first.hash, /^[\da-f]{64}$/)
    assert.notProperty(first, 'bucket')
    assert.notProperty(first, 'sha256')
    assert.containsSubset(second, { name: 'a.py', directory: 'src/lib' })
    assert.equal((await stored(bucketId, 'z.bin')).sha256, sha256(large))
    const { body: bytes } = await callBucket(`/bucket-files/${first.id}/stream`)
    assert.equal(sha256(bytes), sha256(large))
    assert.deepEqual(await remains(bucketId), { ...NOTHING, files: 4, objects: 4 })
  })

  test('files of every size keep their order and content when many are sent at once', async ({
    assert,
  }) => {
    const bucketId = await newBucket()
    const sizes = Array.from({ length: 120 }, (_, n) =>
      n % 30 === 7 ? 300_000 : (n * 997) % 9_000
    )
    const files = sizes.map((size, n) => ({ path: `${n}`, content: randomBytes(size) }))
    const made = await uploaded(bucketId, files)
    assert.deepEqual(
      made.map(({ path, size }) => [path, size]),
      files.map(({ path, content }) => [path, content.length])
    )
    for (const [n, { content, path }] of files.entries()) {
      assert.equal((await stored(bucketId, path)).sha256, sha256(content))
      const { body } = await callBucket(`/bucket-files/${made[n]!.id}/stream`)
      assert.equal(sha256(body), sha256(content))
    }
    assert.deepEqual(await remains(bucketId), { ...NOTHING, files: 120, objects: 120 })
  })

  test('files are published, one event each', async ({ assert }) => {
    const bucketId = await newBucket()
    const events: RecordChange[] = []
    const restore = useEventSink({ record: async (_, change) => void events.push(change) })
    try {
      await uploaded(bucketId, [text('a'), text('b')])
    } finally {
      restore()
    }
    assert.deepEqual(
      events.map(({ kind, type, next }) => [kind, type, next?.path]),
      [
        ['bucketFile', 'created', 'a'],
        ['bucketFile', 'created', 'b'],
      ]
    )
  })

  test('files are sent to a bucket by its name too', async ({ assert }) => {
    const { name } = await (await buckets()).find(await newBucket())
    assert.equal((await upload(name, [text('a')])).status, 201)
  })

  test('other fields make no files, and an upload without files is valid', async ({ assert }) => {
    const bucketId = await newBucket()
    const form = new FormData()
    form.append('comment', 'x'.repeat(100_000))
    const response = await fetch(at('storage', `/buckets/${bucketId}/upload`), {
      method: 'POST',
      headers: somebody.headers,
      body: form,
    })
    assert.equal(response.status, 201)
    assert.deepEqual(await response.json(), { data: [], meta: { total: 0 } })
  })

  test('files come from curl, which sends Expect: 100-continue, in any number', async ({
    assert,
  }) => {
    const bucketId = await newBucket()
    const folder = await mkdtemp(join(tmpdir(), 'hub-curl-'))
    try {
      const content = randomBytes(3 * MIB)
      await writeFile(join(folder, 'a b'), content)
      const { stdout } = await run('curl', [
        ...['-sS', '-H', `authorization: ${somebody.headers.authorization}`],
        ...['-F', `file=@${join(folder, 'a b')};filename="ä \\"b\\".bin"`],
        ...Array.from({ length: 200 }, (_, n) => ['-F', `f=${n};filename=small/${n}`]).flat(),
        at('storage', `/buckets/${bucketId}/upload`),
      ])
      const { data, meta } = JSON.parse(stdout)
      assert.equal(meta.total, 201)
      assert.equal(data[0].path, 'ä "b".bin')
      assert.equal(data[0].size, content.length)
      assert.equal(data[200].path, 'small/199')
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})

test.group('Uploads | refusals', () => {
  test('{0} is a bad request')
    .with([
      ['no content type', {}, 'abc'],
      ['another content type', { 'content-type': 'application/json' }, '{}'],
      ['a content type without boundary', { 'content-type': 'multipart/form-data' }, 'abc'],
      ['an empty body', { 'content-type': 'multipart/form-data; boundary=a' }, undefined],
      ['a body that is none', { 'content-type': 'multipart/form-data; boundary=a' }, 'abc'],
      ['a body that ends early', multipart(), `${partHead('a')}abc`],
      [
        'a name that cannot be decoded',
        multipart(),
        `--${BOUNDARY}\r\ncontent-disposition: form-data; filename*=utf-8''%ZZ\r\n\r\n\r\n${LAST_BOUNDARY}`,
      ],
    ] as [string, Record<string, string>, string | undefined][])
    .run(async ({ assert }, [, headers, body]) => {
      const bucketId = await newBucket()
      const sent = { ...somebody.headers, ...headers }
      const { request, answer } = openRequest(`/buckets/${bucketId}/upload`, sent)
      request.end(body)
      const { status, body: answered } = await answer
      assert.equal(status, 400)
      assert.equal(JSON.parse(answered.toString()).code, 'bad_request')
      assert.deepEqual(await remains(bucketId), NOTHING)
    })

  test('the path {$self} is refused, with an issue, and so is all that was sent with it')
    .with(['../x', '/x', 'a/../b', 'a\u0007b', 'x'.repeat(513), 'a/', 'a/.'])
    .run(async ({ assert }, path) => {
      const bucketId = await newBucket()
      const { request, answer } = openRequest(`/buckets/${bucketId}/upload`, multipart())
      request.end(`${partHead('good')}1\r\n${partHead(path)}2\r\n${LAST_BOUNDARY}`)
      const { status, body } = await answer
      assert.equal(status, 400)
      const { code, issues } = JSON.parse(body.toString())
      assert.equal(code, 'bad_request')
      assert.deepEqual(issues[0].path, ['path'])
      assert.deepEqual(await remains(bucketId), NOTHING)
    })

  test('a bucket that is not there is not found', async ({ assert }) => {
    for (const id of ['aaaaaaaa-0000-4000-8000-00000000dead', 'no-such-bucket']) {
      const { status, body } = await upload(id, [text('a')])
      assert.equal(status, 404)
      assert.match(body.message, /The bucket was not found/)
    }
  })

  test('no anonymous caller, and none of another realm, may send anything', async ({ assert }) => {
    const bucketId = await newBucket()
    const stranger = identity({ realmId: REALMS.other, realmName: 'other', permissions: [] })
    assert.equal((await upload(bucketId, [text('a')], stranger)).status, 403)
    const nobody = { ...somebody, headers: {} as never }
    assert.equal((await upload(bucketId, [text('a')], nobody)).status, 401)
    assert.deepEqual(await remains(bucketId), NOTHING)
  })

  test('a path with a file is rejected, and the files before it are removed', async ({
    assert,
  }) => {
    const bucketId = await newBucket()
    await uploaded(bucketId, [text('a', 'first')])
    const { status, body } = await upload(bucketId, [text('b'), text('a', 'second'), text('c')])
    assert.equal(status, 409)
    assert.equal(body.code, 'entity_conflict')
    assert.deepEqual(await remains(bucketId), { ...NOTHING, files: 1, objects: 1 })
    assert.equal((await upload(bucketId, [text('b')])).status, 201)
  })

  test('a path that occurs twice in a request is rejected', async ({ assert }) => {
    const bucketId = await newBucket()
    assert.equal((await upload(bucketId, [text('a'), text('a')])).status, 409)
    assert.deepEqual(await remains(bucketId), NOTHING)
  })

  test('one rejected path among many small files ends the request, and none of them stays', async ({
    assert,
  }) => {
    const bucketId = await newBucket()
    await uploaded(bucketId, [text('7')])
    const many = Array.from({ length: 200 }, (_, n) => text(`${n}`))
    assert.equal((await upload(bucketId, many)).status, 409)
    assert.deepEqual(await remains(bucketId), { ...NOTHING, files: 1, objects: 1 })
  })

  test('a rejected path is answered before its bytes, which may still arrive', async ({
    assert,
  }) => {
    const bucketId = await newBucket()
    await uploaded(bucketId, [text('a')])
    const { request, answer } = openRequest(`/buckets/${bucketId}/upload`, multipart())
    request.write(partHead('a'))
    assert.equal((await answer).status, 409)
    request.end(`${'x'.repeat(MIB)}\r\n${LAST_BOUNDARY}`)
  })

  test('a client that sends all before it reads anything gets the refusal', async ({ assert }) => {
    const bucketId = await newBucket()
    const large = { path: '../x', content: Buffer.alloc(40 * MIB) }
    const { status } = await upload(bucketId, [large])
    assert.equal(status, 400)
    const folder = await mkdtemp(join(tmpdir(), 'hub-curl-'))
    try {
      await writeFile(join(folder, 'large'), large.content)
      for (const header of ['X-Other: 1', 'Expect:', 'Connection: close']) {
        const { stdout } = await run('curl', [
          ...['-sS', '-H', `authorization: ${somebody.headers.authorization}`],
          ...['-H', header],
          ...['-F', `file=@${join(folder, 'large')};filename=../x`, '-w', '%{http_code}'],
          ...['-o', '/dev/null', at('storage', `/buckets/${bucketId}/upload`)],
        ])
        assert.equal(stdout, '400')
      }
    } finally {
      await rm(folder, { recursive: true })
    }
  }).timeout(60_000)
})

test.group('Uploads | limits', () => {
  async function* parts(files: [string, number][]) {
    for (const [filename, size] of files) {
      yield {
        filename,
        bytes: (async function* () {
          for (let remaining = size; remaining > 0; remaining -= 1000) {
            yield Buffer.alloc(Math.min(remaining, 1000))
          }
        })(),
      }
    }
  }

  test('{title}')
    .with([
      {
        title: 'a file may have as many bytes as are allowed',
        files: 2,
        bytes: 5_000,
        isKept: true,
      },
      { title: 'one byte more is too much', files: 2, bytes: 4_999, isKept: false },
      { title: 'one file more is too much', files: 1, bytes: 0, isKept: false },
    ])
    .run(async ({ assert }, { files, bytes, isKept: isStored }) => {
      const bucketId = await newBucket()
      const bucket = await (await buckets()).find(bucketId)
      const origin = { actor: somebody.actor, requestId: '', address: '', userAgent: undefined }
      const [store, heartbeat] = await Promise.all([objectStore(), app.container.make(Heartbeat)])
      const sending = new Upload(
        { origin, bucket, store, heartbeat },
        { maxFiles: files, maxBytes: bytes }
      ).run(
        parts([
          ['a', 1],
          ['b', 5_000],
        ]),
        { signal: new AbortController().signal }
      )
      if (isStored) {
        assert.lengthOf(await sending, 2)
      } else {
        await assert.rejects(() => sending, PayloadTooLarge as never)
      }
      assert.equal((await remains(bucketId)).files, isStored ? 2 : 0)
      assert.equal((await remains(bucketId)).objects, isStored ? 2 : 0)
      assert.equal((await remains(bucketId)).claims, 0)
    })
})

test.group('Uploads | on their way', () => {
  test('they are in no list, and their path is claimed', async ({ assert }) => {
    const bucketId = await newBucket()
    const { request, answer } = openRequest(`/buckets/${bucketId}/upload`, multipart())
    request.write(`${partHead('a')}half`)
    await eventually(async () => (await remains(bucketId)).claims === 1)
    const { body } = await callBucket(`/bucket-files?filter[bucketId]=${bucketId}`)
    assert.equal(JSON.parse(body.toString()).meta.total, 0)
    const { status } = await upload(bucketId, [text('a')])
    assert.equal(status, 409)
    request.end(` and half\r\n${LAST_BOUNDARY}`)
    assert.equal((await answer).status, 201)
    assert.deepEqual(await remains(bucketId), { ...NOTHING, files: 1, objects: 1 })
  })

  test('nothing remains of one whose client disconnects after {0}')
    .with([
      ['the head of a part', partHead('a')],
      ['some bytes', `${partHead('a')}${'x'.repeat(3 * MIB)}`],
      ['a whole file', `${partHead('a')}1\r\n${partHead('b')}2`],
      ['the last file', `${partHead('a')}1\r\n${partHead('b')}2\r\n--${BOUNDARY}`],
    ])
    .run(async ({ assert }, [, sent]) => {
      const bucketId = await newBucket()
      const { request, answer } = openRequest(`/buckets/${bucketId}/upload`, multipart())
      request.write(sent)
      await eventually(async () => ((await remains(bucketId)).claims ?? 0) > 0)
      request.destroy()
      await answer.catch(() => {})
      await eventually(async () => (await remains(bucketId)).claims === 0)
      assert.deepEqual(await remains(bucketId), NOTHING)
    })

  test('an upload that was silent for too long loses its path to the next', async ({ assert }) => {
    const bucketId = await newBucket()
    const { request, answer } = openRequest(`/buckets/${bucketId}/upload`, multipart())
    request.write(`${partHead('a')}old`)
    await eventually(async () => (await remains(bucketId)).claims === 1)
    await storagePool().query(
      `update bucket_file_claims set expires_at = now() - interval '1 s' where bucket_id = $1`,
      [bucketId]
    )
    const [file] = await uploaded(bucketId, [text('a', 'new')])
    request.end(`\r\n${LAST_BOUNDARY}`)
    const { status, body } = await answer
    assert.equal(status, 409)
    assert.equal(JSON.parse(body.toString()).code, 'entity_conflict')
    assert.equal((await callBucket(`/bucket-files/${file!.id}/stream`)).body.toString(), 'new')
    assert.deepEqual(await remains(bucketId), { ...NOTHING, files: 1, objects: 1 })
  })

  test('one into a bucket that is deleted meanwhile is not found', async ({ assert }) => {
    const bucketId = await newBucket()
    const { request, answer } = openRequest(`/buckets/${bucketId}/upload`, multipart())
    request.write(`${partHead('a')}1\r\n${partHead('b')}2`)
    await eventually(async () => (await remains(bucketId)).claims === 2)
    assert.equal((await callBucket(`/buckets/${bucketId}`, {}, 'DELETE')).status, 202)
    request.end(`\r\n${LAST_BOUNDARY}`)
    const { status } = await answer
    assert.equal(status, 404)
    assert.deepEqual(await remains(bucketId), NOTHING)
  })

  test('concurrent uploads of many uploads to the same path, one gets it', async ({ assert }) => {
    const bucketId = await newBucket()
    const tries = Array.from({ length: 12 }, (_, n) => upload(bucketId, [text('a', `${n}`)]))
    const statuses = (await Promise.all(tries)).map(({ status }) => status)
    assert.deepEqual(statuses.toSorted(), [201, ...Array.from({ length: 11 }, () => 409)])
    assert.deepEqual(await remains(bucketId), { ...NOTHING, files: 1, objects: 1 })
  })

  test('many large ones at once succeed', async ({ assert }) => {
    const bucketId = await newBucket()
    const content = randomBytes(4 * MIB)
    await Promise.all(
      Array.from({ length: 20 }, (_, n) => uploaded(bucketId, [{ path: `${n}`, content }]))
    )
    assert.deepEqual(await remains(bucketId), { ...NOTHING, files: 20, objects: 20 })
  }).timeout(60_000)

  test('an upload whose location is missing has to be repeated, and succeeds then', async ({
    assert,
  }) => {
    // A shared location cannot be lost like this.
    if (activeLayout() !== 'own') {
      return
    }
    const bucketId = await newBucket()
    await (await objectStore()).removeContainer(bucketId)
    assert.equal((await upload(bucketId, [text('a')])).status, 503)
    assert.equal((await upload(bucketId, [text('a')])).status, 201)
  })

  test('several paths are claimed at once, each independently, expired ones included', async ({
    assert,
  }) => {
    const bucketId = await newBucket()
    await claimPath({ bucketId, path: 'expired', ttlMs: -1 })
    await claimPath({ bucketId, path: 'held', ttlMs: 30_000 })
    await uploaded(bucketId, [text('file')])
    const paths = ['free', 'file', 'expired', 'held', 'twice', 'twice']
    const ends = await claimPaths({ bucketId, ttlMs: 30_000 }, paths)
    assert.deepEqual(
      ends.slice(0, 4).map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled', 'rejected']
    )
    assert.sameMembers(
      ends.slice(4).map(({ status }) => status),
      ['fulfilled', 'rejected']
    )
    assert.equal((await remains(bucketId)).claims, 4)
  })

  test("many requests for the same paths in any order do not stand in each other's way", async ({
    assert,
  }) => {
    const bucketId = await newBucket()
    const paths = Array.from({ length: 40 }, (_, n) => `${n}`)
    const tries = Array.from({ length: 12 }, (_, n) =>
      upload(
        bucketId,
        (n % 2 ? paths : paths.toReversed()).map((path) => text(path))
      )
    )
    const statuses = (await Promise.all(tries)).map(({ status }) => status)
    assert.isTrue(
      statuses.every((status) => status === 201 || status === 409),
      statuses.join()
    )
    const isStored = statuses.includes(201)
    const { files, objects, claims } = await remains(bucketId)
    assert.deepEqual([files, objects, claims], isStored ? [40, 40, 0] : [0, 0, 0])
  })

  test('a claim that was taken over is not renewed or released by its former owner', async ({
    assert,
  }) => {
    const { renewClaims: holdClaims, releaseClaims } = await import('#storage/claims/claims')
    const bucketId = await newBucket()
    const first = await claimPath({ bucketId, path: 'a', ttlMs: -1 })
    const second = await claimPath({ bucketId, path: 'a', ttlMs: 30_000 })
    await holdClaims([first.id], 1)
    await releaseClaims([first.id])
    await assert.rejects(() => claimPath({ bucketId, path: 'a', ttlMs: 1 }))
    assert.notEqual(first.hash, second.hash)
    assert.deepEqual(second.address, objectAddress(activeLayout(), bucketId, second.hash))
  })
})
