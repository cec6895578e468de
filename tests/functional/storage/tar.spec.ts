import { execFileSync } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { test } from '@japa/runner'

import { storagePool } from '#storage/database'
import { activeLayout, objectStore } from '#storage/objects/store'
import { identity, REALMS } from '#tests/helpers/identities'
import {
  callBucket,
  newBucket,
  locationOf,
  uploaded,
  upload,
  type SentFile,
} from './files_scene.js'

/** A full run has 1,000. */
const TREES = Number(process.env.TAR_TREES ?? 5)

const tarOf = (bucketId: string) => callBucket(`/buckets/${bucketId}/stream`)

async function listed(tar: Buffer): Promise<string[]> {
  return inFolder(async (folder) => {
    await writeFile(join(folder, 'a.tar'), tar)
    const options = {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C.UTF-8' },
    } as const
    const text = execFileSync('tar', ['--quoting-style=literal', '-tf', 'a.tar'], options)
    return text.split('\n').slice(0, -1)
  })
}

async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'hub-tar-'))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Stores files in a bucket without uploading them. */
async function fill(bucketId: string, count: number): Promise<void> {
  const [file] = await uploaded(bucketId, [{ path: 'a', content: Buffer.from('same') }])
  await storagePool().query(
    `insert into bucket_files (id, name, path, hash, size, layout, actor_type, actor_id,
       bucket_id)
     select gen_random_uuid(), n::text, 'many/' || lpad(n::text, 6, '0'), $2, 4, $4, 'user',
       gen_random_uuid(), $1 from generate_series(1, $3::int) n`,
    [bucketId, file!.hash, count, activeLayout()]
  )
}

test.group('Bucket streams', () => {
  test('streams are tars of all files, ordered by path, with matching headers', async ({
    assert,
  }) => {
    const bucketId = await newBucket()
    const files = ['b', 'a/z', 'a/b', 'ä'].map((path) => ({ path, content: Buffer.from(path) }))
    await uploaded(bucketId, files)
    const { status, headers, body } = await tarOf(bucketId)
    assert.equal(status, 200)
    assert.equal(headers['content-type'], 'application/x-tar')
    assert.equal(headers['content-disposition'], `attachment; filename="${bucketId}.tar"`)
    assert.deepEqual(await listed(body), ['a/b', 'a/z', 'b', 'ä'])
    const head = await callBucket(`/buckets/${bucketId}/stream`, {}, 'HEAD')
    assert.deepEqual([head.status, head.body.length], [200, 0])
    assert.equal(head.headers['content-type'], 'application/x-tar')
  })

  test('streams of a bucket without files are empty tars', async ({ assert }) => {
    const { status, body } = await tarOf(await newBucket())
    assert.equal(status, 200)
    assert.isTrue(body.equals(Buffer.alloc(1_024)))
  })

  test('streams are for callers who reach the bucket', async ({ assert }) => {
    const path = `/buckets/${await newBucket()}/stream`
    const stranger = identity({ realmId: REALMS.other, realmName: 'other', permissions: [] })
    assert.equal((await callBucket(path, stranger.headers)).status, 403)
    assert.equal((await callBucket(path, { authorization: '' })).status, 401)
    assert.equal((await callBucket('/buckets/no-such-bucket/stream')).status, 404)
  })

  test('streams have every file in them, however many pages these are', async ({ assert }) => {
    const bucketId = await newBucket()
    await fill(bucketId, 1_200)
    const names = await listed((await tarOf(bucketId)).body)
    assert.lengthOf(names, 1_201)
    assert.deepEqual(names, names.toSorted())
  }).timeout(120_000)

  test('break off where an object is missing, and are never a shorter tar', async ({ assert }) => {
    const bucketId = await newBucket()
    await fill(bucketId, 800)
    await storagePool().query(
      `update bucket_files set hash = repeat('0', 64) where bucket_id = $1 and name = '700'`,
      [bucketId]
    )
    await assert.rejects(() => tarOf(bucketId), /aborted|reset|hang up/)
  }).timeout(120_000)

  test('that cannot even begin are answered with an error: {$self}')
    .with(['without the first object', 'without a size'])
    .run(async ({ assert }, what) => {
      const bucketId = await newBucket()
      const [file] = await uploaded(bucketId, [{ path: 'a', content: Buffer.from('a') }])
      const { container, prefix } = locationOf(bucketId)
      if (what === 'without a size') {
        await storagePool().query('update bucket_files set size = null where id = $1', [file!.id])
      } else {
        await (await objectStore()).delete({ container, key: prefix + file!.hash })
      }
      const { status, body } = await tarOf(bucketId)
      assert.equal(status, 500)
      assert.equal(JSON.parse(body.toString()).code, 'internal_error')
    })

  test('streams of random trees are read by GNU tar, byte by byte', async ({ assert }) => {
    for (let tree = 0; tree < TREES; tree++) {
      const bucketId = await newBucket()
      const files = randomTree()
      const { status, body: answered } = await upload(bucketId, files)
      assert.equal(status, 201, JSON.stringify(answered))
      const { body } = await tarOf(bucketId)
      await inFolder(async (folder) => {
        execFileSync('tar', ['-xf', '-', '-C', folder], { input: body })
        for (const { path, content } of files) {
          assert.isTrue((await readFile(join(folder, path))).equals(content), path)
        }
      })
    }
  }).timeout(30_000 + TREES * 4_000)
})

const PIECES = [
  'a',
  'ß',
  '☃',
  '𝄞',
  ' ',
  '%',
  '"',
  '\\a',
  '.',
  '-',
  '~',
  '*',
  "'",
  ';',
  'x'.repeat(40),
]

/** Files with arbitrary names, none of which is a folder of another. */
function randomTree(): SentFile[] {
  const name = () =>
    Array.from({ length: randomInt(1, 5) }, () => PIECES[randomInt(PIECES.length)]).join('')
  return Array.from({ length: randomInt(1, 9) }, (_, n) => {
    const folders = Array.from({ length: randomInt(0, 4) }, () => `d${name()}`)
    const size = randomInt(3) === 0 ? randomInt(1024 ** 2) : randomInt(2_000)
    return { path: [...folders, `f${n}${name()}`].join('/'), content: randomBytes(size) }
  })
}
