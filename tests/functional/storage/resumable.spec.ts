import { createHash, randomBytes, randomInt } from 'node:crypto'

import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'
import { Upload } from 'tus-js-client'

import { isAdvisoryLockGranted } from '#database/advisory_locks'
import { PayloadTooLarge } from '#kernel/failures'
import { bucketLocation } from '#storage/objects/layout'
import { objectStore } from '#storage/objects/store'
import { BucketService } from '#storage/buckets/bucket_service'
import { ResumableService } from '#storage/resumable/resumable_service'
import type { UploadQuota } from '#storage/storage_settings'
import { storageSweeps } from '#storage/sweeps/storage_sweeps'
import { storageSettings } from '#storage/storage_settings'
import { useSettings } from '#tests/helpers/settings'
import { at } from '#tests/helpers/application'
import { endSessions } from '#tests/helpers/database/database_sessions'
import { eventually } from '#tests/helpers/eventually'
import { REALMS } from '#tests/helpers/identities'
import {
  answerTo,
  begin,
  brokenPatch,
  metadataFor,
  offsetOf,
  openPatch,
  patch,
  pathOf,
  tus,
  type Speaker,
} from '#tests/helpers/storage/tus'
import { failureOf } from '#tests/helpers/storage/object_store_suite'
import { storagePool } from '#storage/database'
import { stopwatch } from '#tests/helpers/stopwatch'

import { aBucket, aFile, callStorage, objectsOf, person } from './storage_scene.js'
import { realTime } from '#tests/helpers/real_time'

const KIB = 1024
const MIB = 1024 ** 2
const content = randomBytes(3 * MIB)

const sender = person(REALMS.other)
const speaker = (by = sender): Speaker => ({ base: at('storage', ''), headers: by.headers })

/** A bucket in the realm of the sender, and one more upload in it. */
async function aBucketOfTheRealm() {
  return (await aBucket({ realmId: REALMS.other })).id
}

async function aStartedUpload(filename = 'big.bin', length = content.length) {
  const bucketId = await aBucketOfTheRealm()
  return { bucketId, path: await begin(speaker(), bucketId, filename, length) }
}

const idOf = (path: string) => path.split('/').at(-1)!

async function downloaded(fileId: string): Promise<Buffer> {
  const response = await fetch(at('storage', `/bucket-files/${fileId}/stream`), {
    headers: { ...sender.headers, 'accept-encoding': 'identity' },
  })
  return Buffer.from(await response.arrayBuffer())
}

async function sha256Of(path: string): Promise<string> {
  const { rows } = await storagePool().query('select sha256 from bucket_files where id = $1', [
    idOf(path),
  ])
  return rows[0]?.sha256
}

/** Waits until a request has locked an upload. */
async function isLocked(path: string): Promise<void> {
  await eventually(async () => {
    const { rowCount } = await storagePool().query(
      `select 1 from pg_locks where ${isAdvisoryLockGranted('hashtextextended($1, 0)')}`,
      [`resumable upload ${idOf(path)}`]
    )
    return rowCount! > 0
  })
}

/** Makes the database reject files with a name until the returned function is called. */
async function filesCannotBeMade(name: string): Promise<() => Promise<void>> {
  await storagePool().query(`
    create function refuse_file() returns trigger language plpgsql as
      $$ begin raise exception 'not now'; end $$;
    create trigger refuse_file before insert on bucket_files for each row
      when (new.name = '${name}') execute function refuse_file()`)
  return async () => {
    await storagePool().query('drop function refuse_file cascade')
  }
}

/** The events of a record on the bus. */
async function commandsAbout(id: string): Promise<string[]> {
  const { rows } = await storagePool().query(
    `select content->'command'->>'type' as type from outbox
     where content->'command'->'data'->>'id' = $1 order by position`,
    [id]
  )
  return rows.map(({ type }) => type)
}

const digest = (bytes: Uint8Array, algorithm = 'sha256', encoding: 'hex' | 'base64' = 'hex') =>
  createHash(algorithm).update(bytes).digest(encoding)

test.group('Resumable uploads', () => {
  test('describe the protocol to every caller', async ({ assert }) => {
    for (const path of ['/buckets/any/resumable', '/buckets/any/resumable/one']) {
      const response = await fetch(at('storage', path), { method: 'OPTIONS' })
      assert.equal(response.status, 204)
      assert.equal(response.headers.get('tus-version'), '1.0.0')
      assert.include(response.headers.get('tus-extension'), 'creation-with-upload')
      assert.include(response.headers.get('tus-checksum-algorithm'), 'sha1')
    }
  })

  test('uploads may come from other sites, which read the headers they need', async ({
    assert,
  }) => {
    const origin = 'https://elsewhere.test'
    const url = at('storage', '/buckets/any/resumable/one')
    const preflight = await fetch(url, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'PATCH',
        'access-control-request-headers': 'tus-resumable,upload-offset,content-type',
      },
    })
    assert.equal(preflight.status, 204)
    assert.include(preflight.headers.get('access-control-allow-methods'), 'PATCH')
    assert.include(preflight.headers.get('access-control-allow-headers'), 'upload-offset')
    const answer = await fetch(url, { method: 'HEAD', headers: { origin } })
    const exposed = answer.headers.get('access-control-expose-headers')
    for (const name of ['upload-offset', 'location', 'x-bucket-file-id']) {
      assert.include(exposed, name)
    }
  })

  test('uploads begin with nothing, and become a file with the last byte', async ({ assert }) => {
    const { bucketId, path } = await aStartedUpload('deep/größe 1.bin')
    const empty = await tus(speaker(), 'HEAD', path)
    assert.equal(empty.status, 200)
    assert.equal(empty.headers['upload-offset'], '0')
    assert.equal(empty.headers['upload-length'], `${content.length}`)
    assert.equal(empty.headers['upload-metadata'], metadataFor('deep/größe 1.bin'))
    assert.equal(empty.headers['cache-control'], 'no-store')
    assert.isAbove(Date.parse(empty.headers['upload-expires'] as string), Date.now())

    let offset = 0
    while (offset < content.length) {
      const listed = await callStorage(sender, 'GET', `/bucket-files?filter[bucketId]=${bucketId}`)
      assert.equal(listed.body.meta.total, 0)
      const bytes = content.subarray(offset, offset + randomInt(1, MIB))
      const answer = await patch(speaker(), path, offset, bytes)
      offset += bytes.length
      assert.equal(answer.status, 204)
      assert.equal(answer.headers['upload-offset'], `${offset}`)
      assert.equal('x-bucket-file-id' in answer.headers, offset === content.length)
    }

    const id = idOf(path)
    const { body } = await callStorage(sender, 'GET', `/bucket-files/${id}`)
    const { actor } = sender
    assert.containsSubset(body.data, {
      ...{ id, bucketId, path: 'deep/größe 1.bin', name: 'größe 1.bin', directory: 'deep' },
      ...{ size: content.length, actorType: 'user', actorId: actor.id, realmId: actor.realmId },
    })
    assert.isTrue(content.equals(await downloaded(id)))
    assert.equal(await sha256Of(path), digest(content))
    assert.deepEqual(await commandsAbout(id), ['creationFinished'])
  })

  test('that are complete return the file for a while, and accept no more bytes', async ({
    assert,
  }) => {
    const { path } = await aStartedUpload('a', 10)
    await patch(speaker(), path, 0, content.subarray(0, 10))
    const known = await tus(speaker(), 'HEAD', path)
    assert.equal(known.headers['upload-offset'], '10')
    assert.equal(known.headers['x-bucket-file-id'], idOf(path))
    assert.equal((await patch(speaker(), path, 10, Buffer.alloc(0))).status, 204)
    assert.equal((await patch(speaker(), path, 0, content.subarray(0, 10))).status, 409)
    assert.equal((await patch(speaker(), path, 10, content.subarray(0, 1))).status, 413)
    assert.equal((await tus(speaker(), 'DELETE', path)).status, 409)
    assert.equal((await callStorage(sender, 'DELETE', `/bucket-files/${idOf(path)}`)).status, 202)
    assert.equal((await tus(speaker(), 'HEAD', path)).status, 404)
  })

  test('uploads may bring bytes along with their beginning: {bytes} of {length}')
    .with([
      { bytes: 10, length: 10 },
      { bytes: 7, length: 10 },
      { bytes: 0, length: 10 },
    ])
    .run(async ({ assert }, { bytes, length }) => {
      const bucketId = await aBucketOfTheRealm()
      const answer = await tus(
        speaker(),
        'POST',
        `/buckets/${bucketId}/resumable`,
        {
          'upload-length': `${length}`,
          'upload-metadata': metadataFor('a'),
          'content-type': 'application/offset+octet-stream',
        },
        content.subarray(0, bytes)
      )
      assert.equal(answer.status, 201)
      assert.equal(answer.headers['upload-offset'], `${bytes}`)
      const path = pathOf(bucketId, answer)
      if (bytes < length) {
        await patch(speaker(), path, bytes, content.subarray(bytes, length))
      }
      assert.isTrue(content.subarray(0, length).equals(await downloaded(idOf(path))))
    })

  test('uploads have a location that works on every route', async ({ assert }) => {
    const bucketId = await aBucketOfTheRealm()
    for (const path of [`/buckets/${bucketId}/resumable`, `/buckets/${bucketId}/resumable/`]) {
      const headers = { 'upload-length': '1', 'upload-metadata': metadataFor('a') }
      const { headers: answered } = await tus(speaker(), 'POST', path, headers)
      const url = new URL(answered.location!, at('storage', path))
      const found = await fetch(url, {
        method: 'HEAD',
        headers: { ...sender.headers, 'tus-resumable': '1.0.0' },
      })
      assert.equal(found.status, 200)
    }
  })

  test('uploads without bytes are files at once', async ({ assert }) => {
    const { path } = await aStartedUpload('empty', 0)
    const { body } = await callStorage(sender, 'GET', `/bucket-files/${idOf(path)}`)
    assert.equal(body.data.size, 0)
    assert.isEmpty(await downloaded(idOf(path)))
  })

  test('accept a deferred length', async ({ assert }) => {
    const bucketId = await aBucketOfTheRealm()
    const answer = await tus(speaker(), 'POST', `/buckets/${bucketId}/resumable`, {
      'upload-defer-length': '1',
      'upload-metadata': metadataFor('a'),
    })
    const path = pathOf(bucketId, answer)
    await patch(speaker(), path, 0, content.subarray(0, 100))
    const { headers } = await tus(speaker(), 'HEAD', path)
    assert.equal(headers['upload-defer-length'], '1')
    assert.notProperty(headers, 'upload-length')
    const tooShort = await patch(speaker(), path, 100, Buffer.alloc(0), { 'upload-length': '99' })
    assert.equal(tooShort.status, 400)
    const rest = content.subarray(100, 300)
    const last = await patch(speaker(), path, 100, rest, { 'upload-length': '300' })
    assert.equal(last.headers['x-bucket-file-id'], idOf(path))
    assert.isTrue(content.subarray(0, 300).equals(await downloaded(idOf(path))))
  })

  test('uploads take no bytes with a wrong checksum, and those with a right one', async ({
    assert,
  }) => {
    const { path } = await aStartedUpload('a', MIB)
    const bytes = content.subarray(0, MIB)
    const wrong = { 'upload-checksum': `sha1 ${digest(content, 'sha1', 'base64')}` }
    const refused = await patch(speaker(), path, 0, bytes, wrong)
    assert.equal(refused.status, 460)
    assert.equal(await offsetOf(speaker(), path), 0)
    assert.equal(
      (await patch(speaker(), path, 0, bytes, { 'upload-checksum': 'crc0 x' })).status,
      400
    )
    const announced = { 'upload-checksum': `sha1 ${digest(bytes, 'sha1', 'base64')}` }
    const broken = openPatch(speaker(), path, 0, MIB, announced)
    await new Promise((resolve) => void broken.write(bytes.subarray(0, 500_000), resolve))
    await isLocked(path)
    broken.destroy()
    assert.equal(await offsetOf(speaker(), path), 0)
    const half = content.subarray(0, 300_000)
    const right = { 'upload-checksum': `sha256 ${digest(half, 'sha256', 'base64')}` }
    assert.equal((await patch(speaker(), path, 0, half, right)).status, 204)
    assert.equal(await offsetOf(speaker(), path), half.length)
    await patch(speaker(), path, half.length, bytes.subarray(half.length))
    assert.isTrue(bytes.equals(await downloaded(idOf(path))))
  })

  test('uploads reject violations of the protocol', async ({ assert }) => {
    const { bucketId, path } = await aStartedUpload('a', 100)
    const begins = (headers: Record<string, string>) =>
      tus(speaker(), 'POST', `/buckets/${bucketId}/resumable`, headers)
    const named = { 'upload-metadata': metadataFor('b') }
    const refusals = [
      [412, await begins({ ...named, 'upload-length': '1', 'tus-resumable': '0.2.2' })],
      [400, await begins(named)],
      [400, await begins({ ...named, 'upload-length': '-1' })],
      [400, await begins({ ...named, 'upload-length': '1e3' })],
      [400, await begins({ ...named, 'upload-length': '9007199254740993' })],
      [400, await begins({ ...named, 'upload-length': '1', 'upload-defer-length': '1' })],
      [400, await begins({ ...named, 'upload-defer-length': '2' })],
      [415, await tus(speaker(), 'PATCH', path, { 'upload-offset': '0' }, Buffer.from('a'))],
      [415, await patch(speaker(), path, 0, Buffer.from('a'), { 'content-encoding': 'gzip' })],
      [
        400,
        await tus(speaker(), 'PATCH', path, { 'content-type': 'application/offset+octet-stream' }),
      ],
      [409, await patch(speaker(), path, 1, Buffer.from('a'))],
      [413, await patch(speaker(), path, 0, content.subarray(0, 101))],
      [404, await patch(speaker(), `/buckets/${bucketId}/resumable/nothing`, 0, Buffer.from('a'))],
      [404, await tus(speaker(), 'POST', path)],
    ] as const
    for (const [status, answer] of refusals) {
      assert.equal(answer.status, status, JSON.stringify(answer.body))
      assert.equal(answer.headers['tus-resumable'], '1.0.0')
      assert.sameMembers(Object.keys(answer.body), ['statusCode', 'code', 'message', 'issues'])
    }
    const mismatch = refusals.find(([status]) => status === 409)![1]
    assert.equal(mismatch.headers['upload-offset'], '0')
    assert.equal(await offsetOf(speaker(), path), 0)
  })

  test('uploads reject a path that escapes the bucket, and one that is claimed', async ({
    assert,
  }) => {
    const { id: bucketId } = await aBucket({ realmId: REALMS.other })
    const statusFor = async (metadata: string, by = sender) => {
      const headers = { 'upload-length': '1', 'upload-metadata': metadata }
      const { status } = await tus(speaker(by), 'POST', `/buckets/${bucketId}/resumable`, headers)
      return status
    }
    for (const path of ['', '../a', '/a', 'a/', 'a/../../b', 'a\0', 'x'.repeat(600)]) {
      assert.equal(await statusFor(metadataFor(path)), 400, path)
    }
    for (const metadata of [
      '',
      'filename',
      'name YQ==',
      'filename ?',
      'filename YQ==,filename YQ==',
    ]) {
      assert.equal(await statusFor(metadata), 400, metadata)
    }
    assert.equal(await statusFor(`filename ${Buffer.from([0xff]).toString('base64')}`), 400)
    await aFile(bucketId, { path: 'taken', name: 'taken' })
    assert.equal(await statusFor(metadataFor('taken')), 409)
    assert.equal(await statusFor(`${metadataFor('mine')},filetype dGV4dA==,empty`), 201)
    assert.equal(await statusFor(metadataFor('mine'), person(REALMS.other)), 409)
  })

  test('that a client begins again make room for that', async ({ assert }) => {
    const { bucketId, path } = await aStartedUpload('a', 100)
    await patch(speaker(), path, 0, content.subarray(0, 50))
    const again = await begin(speaker(), bucketId, 'a', 10)
    assert.equal((await tus(speaker(), 'HEAD', path)).status, 404)
    await patch(speaker(), again, 0, content.subarray(0, 10))
    assert.isTrue(content.subarray(0, 10).equals(await downloaded(idOf(again))))
    assert.equal(await objectsOf(bucketId, 'own'), 1)
  })

  test('uploads are for the caller that began them, and for those who may upload to the bucket', async ({
    assert,
  }) => {
    const { bucketId, path } = await aStartedUpload('a', 100)
    const stranger = person('aaaaaaaa-0000-4000-8000-00000000000f')
    const colleague = person(REALMS.other)
    const nobody = { ...speaker(), headers: {} }
    for (const method of ['HEAD', 'DELETE']) {
      assert.equal((await tus(speaker(stranger), method, path)).status, 403)
      assert.equal((await tus(nobody, method, path)).status, 401)
    }
    const one = content.subarray(0, 1)
    assert.equal((await patch(speaker(stranger), path, 0, one)).status, 403)
    assert.equal((await patch(nobody, path, 0, one)).status, 401)
    const others = { 'upload-length': '1', 'upload-metadata': metadataFor('b') }
    const refused = await tus(speaker(stranger), 'POST', `/buckets/${bucketId}/resumable`, others)
    assert.equal(refused.status, 403)
    const elsewhere = await aBucketOfTheRealm()
    const moved = path.replace(bucketId, elsewhere)
    assert.equal((await tus(speaker(), 'HEAD', moved)).status, 404)

    assert.equal((await patch(speaker(colleague), path, 0, content.subarray(0, 100))).status, 204)
    const { body } = await callStorage(sender, 'GET', `/bucket-files/${idOf(path)}`)
    assert.equal(body.data.actorId, sender.actor.id)
  })

  test('that are cancelled are removed, and their path is free', async ({ assert }) => {
    const { bucketId, path } = await aStartedUpload('a', 100)
    await patch(speaker(), path, 0, content.subarray(0, 50))
    assert.equal((await tus(speaker(), 'DELETE', path)).status, 204)
    assert.equal((await tus(speaker(), 'DELETE', path)).status, 404)
    assert.equal((await tus(speaker(), 'HEAD', path)).status, 404)
    assert.equal(await objectsOf(bucketId, 'own'), 0)
    const { rows } = await storagePool().query(
      'select id from bucket_file_claims where bucket_id = $1',
      [bucketId]
    )
    assert.isEmpty(rows)
  })

  test('uploads store what arrived of a request that breaks off anywhere', async ({ assert }) => {
    const { path } = await aStartedUpload()
    let offset = 0
    // A reset connection loses what was not read yet. On a busy machine that may be everything, several times.
    for (let round = 0; round < 10 || (offset === 0 && round < 200); round++) {
      const rest = content.subarray(offset)
      await brokenPatch(
        speaker(),
        path,
        offset,
        rest,
        Math.min(randomInt(600 * KIB), rest.length - 1)
      )
      const next = await offsetOf(speaker(), path)
      assert.isAtLeast(next, offset)
      offset = next
    }
    assert.isAbove(offset, 0)
    // Bytes of a broken connection can arrive after, or even during, the next request; the client then asks for the
    // offset again.
    let { status } = await patch(speaker(), path, offset, content.subarray(offset))
    for (let attempt = 0; [408, 409].includes(status) && attempt < 5; attempt++) {
      offset = await offsetOf(speaker(), path)
      ;({ status } = await patch(speaker(), path, offset, content.subarray(offset)))
    }
    assert.equal(status, 204)
    assert.isTrue(content.equals(await downloaded(idOf(path))))
  })

  test('uploads are let go of by a silent request when their client comes back', async ({
    assert,
  }) => {
    const { path } = await aStartedUpload()
    const silent = openPatch(speaker(), path, 0, content.length)
    const answered = answerTo(silent)
    silent.write(content.subarray(0, MIB))
    await isLocked(path)
    await realTime(1_000, 'nothing shows how much of a request has arrived')
    const took = stopwatch()
    assert.equal(await offsetOf(speaker(), path), MIB)
    assert.isBelow(took(), 20_000)
    const { status } = await answered
    assert.equal(status, 408)
    silent.destroy()
    await patch(speaker(), path, MIB, content.subarray(MIB))
    assert.isTrue(content.equals(await downloaded(idOf(path))))
  }).retry(2)

  test('uploads are let go of when the connection with their locks is lost', async ({ assert }) => {
    const { path } = await aStartedUpload()
    const silent = openPatch(speaker(), path, 0, content.length)
    const answered = answerTo(silent)
    silent.write(content.subarray(0, MIB))
    await isLocked(path)
    assert.isAtLeast(await endSessions(storagePool(), 'analysis-hub uploads'), 1)
    assert.equal((await answered).status, 408)
    silent.destroy()
    const offset = await offsetOf(speaker(), path)
    await patch(speaker(), path, offset, content.subarray(offset))
    assert.isTrue(content.equals(await downloaded(idOf(path))))
  })

  test('uploads come in by the dozen', async ({ assert }) => {
    const bucketId = await aBucketOfTheRealm()
    const bytes = content.subarray(0, 200 * KIB)
    const send = async (name: string) => {
      const path = await begin(speaker(), bucketId, name, bytes.length)
      await patch(speaker(), path, 0, bytes.subarray(0, 70 * KIB))
      const { headers } = await patch(speaker(), path, 70 * KIB, bytes.subarray(70 * KIB))
      return headers['x-bucket-file-id'] as string
    }
    const ids = await Promise.all(Array.from({ length: 60 }, (_, n) => send(`file-${n}`)))
    for (const id of ids) {
      assert.isTrue(bytes.equals(await downloaded(id)))
    }
    const listed = await callStorage(sender, 'GET', `/bucket-files?filter[bucketId]=${bucketId}`)
    assert.equal(listed.body.meta.total, 60)
  })

  test('uploads that many requests continue at once are stored once', async ({ assert }) => {
    const { path } = await aStartedUpload('a', 200 * KIB)
    const bytes = content.subarray(0, 200 * KIB)
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => patch(speaker(), path, 0, bytes).catch(() => undefined))
    )
    const offset = await offsetOf(speaker(), path)
    if (offset < bytes.length) {
      await patch(speaker(), path, offset, bytes.subarray(offset))
    }
    for (const answer of answers) {
      if (answer) {
        assert.include([204, 408, 409, 423], answer.status)
      }
    }
    assert.isTrue(bytes.equals(await downloaded(idOf(path))))
  })

  test('uploads may be used where only some methods get through', async ({ assert }) => {
    const { path } = await aStartedUpload('a', 10)
    const instead = (method: string, headers = {}, bytes?: Uint8Array) =>
      tus(speaker(), 'POST', path, { 'x-http-method-override': method, ...headers }, bytes)
    const bytes = { 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' }
    assert.equal((await instead('PATCH', bytes, content.subarray(0, 4))).status, 204)
    assert.equal((await instead('HEAD')).headers['upload-offset'], '4')
    assert.equal((await instead('DELETE')).status, 204)
  })

  test('that are complete and no file yet become one on a status request', async ({ assert }) => {
    const { path } = await aStartedUpload('unlucky', 10)
    const works = await filesCannotBeMade('unlucky')
    assert.equal((await patch(speaker(), path, 0, content.subarray(0, 10))).status, 500)
    assert.equal((await tus(speaker(), 'HEAD', path)).status, 500)
    await works()
    const { status, headers } = await tus(speaker(), 'HEAD', path)
    assert.deepEqual([status, headers['x-bucket-file-id']], [200, idOf(path)])
    assert.isTrue(content.subarray(0, 10).equals(await downloaded(idOf(path))))
    assert.deepEqual(await commandsAbout(idOf(path)), ['creationFinished'])
  })

  test('uploads have the right digest where what was known of it is lost', async ({ assert }) => {
    for (const lost of [null, Buffer.from('of another version')]) {
      const { path } = await aStartedUpload()
      await patch(speaker(), path, 0, content.subarray(0, MIB))
      await storagePool().query('update resumable_uploads set digest = $2 where id = $1', [
        idOf(path),
        lost,
      ])
      await patch(speaker(), path, MIB, content.subarray(MIB))
      assert.equal(await sha256Of(path), digest(content))
    }
  })

  test('uploads end if their bytes are missing in the store', async ({ assert }) => {
    const { bucketId, path } = await aStartedUpload('a', 10)
    await patch(speaker(), path, 0, content.subarray(0, 5))
    const store = await objectStore()
    const { container } = bucketLocation('own', bucketId)
    for await (const unfinished of store.unfinished(container)) {
      await unfinished.discard()
    }
    assert.equal((await patch(speaker(), path, 5, content.subarray(5, 10))).status, 404)
    assert.equal((await tus(speaker(), 'HEAD', path)).status, 404)
    await begin(speaker(), bucketId, 'a', 10)
  })

  test('uploads end when they expire, and the sweep removes them', async ({ assert }) => {
    const { bucketId, path } = await aStartedUpload('a', 10)
    await patch(speaker(), path, 0, content.subarray(0, 5))
    const id = idOf(path)
    for (const [table, column] of [
      ['resumable_uploads', 'expires_at'],
      ['bucket_file_claims', 'expires_at'],
    ]) {
      const past = `now() - interval '2 minutes'`
      await storagePool().query(`update ${table} set ${column} = ${past} where id = $1`, [id])
    }
    assert.equal((await tus(speaker(), 'HEAD', path)).status, 404)
    const [uploads] = storageSweeps({ error: () => {} })
    await uploads!.run(new AbortController().signal)
    const { rows } = await storagePool().query('select id from resumable_uploads where id = $1', [
      id,
    ])
    assert.isEmpty(rows)
    const store = await objectStore()
    const { container } = bucketLocation('own', bucketId)
    assert.isEmpty(await Array.fromAsync(store.unfinished(container)))
  })

  test('uploads go with their bucket', async ({ assert }) => {
    const { bucketId, path } = await aStartedUpload('a', 10)
    await patch(speaker(), path, 0, content.subarray(0, 5))
    const admin = person(REALMS.master, ['bucket_delete'], { realmName: 'master' })
    assert.equal((await callStorage(admin, 'DELETE', `/buckets/${bucketId}`)).status, 202)
    assert.equal((await tus(speaker(), 'HEAD', path)).status, 404)
  })

  test('respect the limit of the installation', async ({ assert, cleanup }) => {
    cleanup(useSettings(storageSettings, { uploadMaxBytes: 100 }))
    const bucketId = await aBucketOfTheRealm()
    const origin = { actor: sender.actor, requestId: '', address: '', method: '', path: '' }
    const service = new ResumableService(await app.container.make(BucketService))
    const failure = await failureOf(
      service.start(origin as never, bucketId, { length: 101, metadata: metadataFor('a') })
    )
    assert.instanceOf(failure, PayloadTooLarge)
  })

  test('uploads are what clients of the protocol make of them', async ({ assert }) => {
    const { id: bucketId } = await aBucket({ realmId: REALMS.other })
    const url = await new Promise<string>((resolve, reject) => {
      const upload = new Upload(content, {
        endpoint: at('storage', `/buckets/${bucketId}/resumable`),
        headers: sender.headers,
        metadata: { filename: 'from a client.bin' },
        chunkSize: 700_000,
        retryDelays: [100],
        onError: reject,
        onSuccess: () => resolve(upload.url!),
      })
      upload.start()
    })
    assert.isTrue(content.equals(await downloaded(idOf(url))))
  })

  test('uploads are the only routes with PATCH', async ({ assert }) => {
    const { id } = await aBucket({ realmId: REALMS.other })
    assert.equal((await callStorage(sender, 'PATCH', `/buckets/${id}`, {})).status, 404)
    assert.equal((await callStorage(sender, 'PUT', `/buckets/${id}/resumable`, {})).status, 404)
  })
})

test.group('Unfinished uploads', () => {
  const noLimit = { uploadsPerActor: 0, uploadsPerBucket: 0, bytesPerActor: 0, bytesPerBucket: 0 }
  const limited = (limits: Partial<UploadQuota>) =>
    useSettings(storageSettings, { resumable: { ...noLimit, ...limits } })
  const start = (by: Speaker, bucketId: string, filename: string, length: number | 'deferred') =>
    tus(by, 'POST', `/buckets/${bucketId}/resumable`, {
      ...(length === 'deferred'
        ? { 'upload-defer-length': '1' }
        : { 'upload-length': `${length}` }),
      'upload-metadata': metadataFor(filename),
    })
  const claimsOf = async (bucketId: string) => {
    const { rowCount } = await storagePool().query(
      'select 1 from bucket_file_claims where bucket_id = $1',
      [bucketId]
    )
    return rowCount
  }

  test('uploads of one actor are limited over all buckets, however many start at once', async ({
    assert,
    cleanup,
  }) => {
    cleanup(limited({ uploadsPerActor: 3 }))
    const by = speaker(person(REALMS.other))
    const buckets = await Promise.all([aBucketOfTheRealm(), aBucketOfTheRealm()])
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) => start(by, buckets[n % 2]!, `${n}`, 10))
    )
    const started = answers.filter(({ status }) => status === 201)
    assert.lengthOf(started, 3)
    const refused = answers.filter(({ status }) => status !== 201)
    assert.isTrue(
      refused.every(({ status, body }) => status === 429 && /cancel/.test(body.message))
    )
    assert.equal((await claimsOf(buckets[0]))! + (await claimsOf(buckets[1]))!, 3)
    assert.equal((await start(speaker(person(REALMS.other)), buckets[0], 'other', 10)).status, 201)

    const n = answers.indexOf(started[0]!)
    assert.equal((await start(by, buckets[n % 2]!, `${n}`, 20)).status, 201)
    const path = pathOf(buckets[n % 2]!, await start(by, buckets[n % 2]!, `${n}`, 5))
    await patch(by, path, 0, content.subarray(0, 5))
    assert.equal((await start(by, buckets[0], 'after', 10)).status, 201)
  })

  test('uploads of one bucket are limited, too', async ({ assert, cleanup }) => {
    cleanup(limited({ uploadsPerBucket: 2 }))
    const bucketId = await aBucketOfTheRealm()
    const byOthers = () => speaker(person(REALMS.other))
    assert.equal((await start(byOthers(), bucketId, 'a', 10)).status, 201)
    assert.equal((await start(byOthers(), bucketId, 'b', 10)).status, 201)
    assert.equal((await start(byOthers(), bucketId, 'c', 10)).status, 429)
    assert.equal((await start(byOthers(), await aBucketOfTheRealm(), 'c', 10)).status, 201)
  })

  test('announce or store no more bytes together than their actor and bucket may', async ({
    assert,
    cleanup,
  }) => {
    cleanup(limited({ bytesPerActor: 100, bytesPerBucket: 150 }))
    const bucketId = await aBucketOfTheRealm()
    const by = speaker(person(REALMS.other))
    assert.equal((await start(by, bucketId, 'a', 60)).status, 201)
    assert.equal((await start(by, bucketId, 'b', 41)).status, 413)
    const deferred = pathOf(bucketId, await start(by, bucketId, 'c', 'deferred'))
    assert.equal((await patch(by, deferred, 0, content.subarray(0, 41))).status, 413)
    const tooLong = { 'upload-length': '41' }
    assert.equal((await patch(by, deferred, 0, content.subarray(0, 1), tooLong)).status, 413)
    assert.equal((await patch(by, deferred, 0, content.subarray(0, 40))).status, 204)
    assert.equal((await patch(by, deferred, 40, content.subarray(0, 1))).status, 413)
    const other = speaker(person(REALMS.other))
    assert.equal((await start(other, bucketId, 'd', 51)).status, 413)
    assert.equal((await start(other, bucketId, 'd', 50)).status, 201)
    assert.equal(await claimsOf(bucketId), 3)
  })

  test('uploads are listed for the owner of the bucket, who cancels them; others see and cancel their own', async ({
    assert,
  }) => {
    const owner = person(REALMS.master)
    const { id: bucketId } = await aBucket({
      realmId: REALMS.other,
      actorType: 'user',
      actorId: owner.actor.id,
    })
    const program = person(REALMS.other, [], { kind: 'client' })
    const path = await begin(speaker(), bucketId, 'result.csv', 100)
    await patch(speaker(), path, 0, content.subarray(0, 30))
    const ofProgram = await begin(speaker(program), bucketId, 'b', 7)
    const list = async (by: typeof sender) => {
      const { status, body } = await callStorage(by, 'GET', `/buckets/${bucketId}/resumable`)
      return { status, meta: body.meta, paths: body.data?.map((one: any) => one.path), body }
    }
    for (const by of [owner, sender, person(REALMS.other, ['bucket_update'])]) {
      const { meta, paths, body } = await list(by)
      assert.deepEqual(paths, ['b', 'result.csv'])
      assert.deepEqual(meta, { total: 2 })
      assert.containsSubset(body.data[1], {
        id: idOf(path),
        length: 100,
        offset: 30,
        actorType: 'user',
        actorId: sender.actor.id,
      })
    }
    assert.deepEqual((await list(program)).paths, ['b'])
    const stranger = person('aaaaaaaa-0000-4000-8000-00000000000f', ['bucket_update'])
    assert.equal((await list(stranger)).status, 403)
    assert.equal((await tus(speaker(program), 'DELETE', path)).status, 403)
    assert.equal((await tus(speaker(stranger), 'DELETE', path)).status, 403)
    assert.equal((await tus(speaker(owner), 'DELETE', path)).status, 204)
    assert.equal((await tus(speaker(program), 'DELETE', ofProgram)).status, 204)
    assert.deepEqual((await list(owner)).paths, [])
    assert.equal((await start(speaker(program), bucketId, 'result.csv', 1)).status, 201)
  })

  test('uploads are not continued by an actor that may not upload to the bucket any more', async ({
    assert,
  }) => {
    const { bucketId, path } = await aStartedUpload('a', 4)
    assert.equal((await patch(speaker(), path, 0, content.subarray(0, 2))).status, 204)
    await storagePool().query('update buckets set realm_id = $2 where id = $1', [
      bucketId,
      'aaaaaaaa-0000-4000-8000-00000000000f',
    ])
    assert.equal((await patch(speaker(), path, 2, content.subarray(0, 2))).status, 403)
    assert.equal(await offsetOf(speaker(), path), 2)
    assert.equal((await tus(speaker(), 'DELETE', path)).status, 204)
    assert.equal(await claimsOf(bucketId), 0)
  })
})
