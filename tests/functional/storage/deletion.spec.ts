import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'

import { test } from '@japa/runner'

import { layoutsOf } from '#storage/objects/bucket_locations'
import { sweepAbandonedLocations } from '#storage/sweeps/object_sweep'
import { at } from '#tests/helpers/application'
import { eventually } from '#tests/helpers/eventually'
import { answerTo, begin, openPatch } from '#tests/helpers/storage/tus'
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
  somebody,
  uploaded,
} from './files_scene.js'

const MIB = 1024 ** 2

/** More than the first part of a multipart upload, and less than two. */
const HALF = 'x'.repeat(9 * MIB)

const FIELD_HEAD = `--${BOUNDARY}\r\ncontent-disposition: form-data; name="field"\r\n\r\n`

const { signal } = new AbortController()

/** More than the buffers of the connection hold, compressed as well. */
const CONTENT = Buffer.from(randomBytes(12 * MIB).toString('hex'))

async function readSlowly(fileId: string, encoding: string): Promise<IncomingMessage> {
  const path = `/bucket-files/${fileId}/stream`
  const headers = { ...somebody.headers, 'accept-encoding': encoding }
  const reading = request(at('storage', path), { headers, agent: false }).end()
  const [response] = (await once(reading, 'response')) as [IncomingMessage]
  await eventually(() => response.readableLength > 0)
  return response
}

/** The body of a complete response; undefined if it broke off. */
async function wholeBody(response: IncomingMessage): Promise<Buffer | undefined> {
  try {
    const body = await buffer(response)
    return response.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ECONNRESET') {
      return undefined
    }
    throw error
  }
}

async function remove(path: string): Promise<void> {
  const { status } = await callBucket(path, {}, 'DELETE')
  if (status !== 202) {
    throw new Error(`${path} was not deleted: ${status}`)
  }
}

test.group('Deletions | while a client reads slowly', () => {
  test('a file of {0}, sent as {1}, comes in full or breaks off')
    .with([
      ['the file', 'identity'],
      ['the file', 'gzip'],
      ['the bucket', 'identity'],
    ] as const)
    .run(async ({ assert }, [what, encoding]) => {
      const bucketId = await newBucket()
      const [file] = await uploaded(bucketId, [{ path: 'read.txt', content: CONTENT }])
      const path = `/bucket-files/${file!.id}`
      const response = await readSlowly(file!.id, encoding)
      assert.equal(response.headers['content-encoding'] ?? 'identity', encoding)
      await remove(what === 'the file' ? path : `/buckets/${bucketId}`)
      assert.equal((await callBucket(`${path}/stream`)).status, 404)
      assert.deepEqual(await remains(bucketId), NOTHING)

      const body = await wholeBody(response)
      if (body !== undefined) {
        assert.isTrue(body.equals(CONTENT), `${body.length} bytes`)
      }
    })
})

test.group('Deletions | of a bucket that is being filled', () => {
  async function remainingOf(bucketId: string) {
    const remaining = await remains(bucketId)
    await sweepAbandonedLocations(-1_000, signal)
    return { left: remaining, places: await layoutsOf(bucketId) }
  }

  test('its upload is rejected and removed if the last file was {state}')
    .with([
      { state: 'half', begun: HALF, rest: HALF, objects: 1, unfinished: 1 },
      {
        state: 'whole',
        begun: `${HALF}\r\n${FIELD_HEAD}`,
        rest: 'a field',
        objects: 2,
        unfinished: 0,
      },
    ])
    .run(async ({ assert }, { begun, rest, ...stored }) => {
      const bucketId = await newBucket()
      const { request: sending, answer } = openRequest(`/buckets/${bucketId}/upload`, multipart())
      sending.write(`${partHead('first')}${HALF}\r\n${partHead('last')}${begun}`)
      await eventually(async () => {
        const { objects, unfinished } = await remains(bucketId)
        return objects === stored.objects && unfinished === stored.unfinished
      })
      await remove(`/buckets/${bucketId}`)
      assert.deepEqual(await remains(bucketId), NOTHING)
      sending.end(`${rest}\r\n${LAST_BOUNDARY}`)
      const { status, body } = await answer
      assert.equal(status, 404, body.toString())
      assert.deepEqual(await remainingOf(bucketId), { left: NOTHING, places: [] })
    })

  test('its resumable upload is rejected and removed', async ({ assert }) => {
    const bucketId = await newBucket()
    const by = { base: at('storage', ''), headers: somebody.headers }
    const path = await begin(by, bucketId, 'pieces', 2 * HALF.length)
    const sending = openPatch(by, path, 0, 2 * HALF.length)
    const answer = answerTo(sending)
    sending.write(HALF)
    await eventually(async () => (await remains(bucketId)).unfinished > 0)
    await remove(`/buckets/${bucketId}`)
    sending.end(HALF)
    assert.equal((await answer).status, 404)
    assert.deepEqual(await remainingOf(bucketId), { left: NOTHING, places: [] })
  })
})
