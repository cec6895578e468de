import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import { createServer, connect, type AddressInfo, type Server } from 'node:net'
import { once } from 'node:events'

import { test } from '@japa/runner'
import { Upload } from 'tus-js-client'

import { storagePool } from '#storage/database'
import { bucketLocation } from '#storage/objects/layout'
import type { ObjectStore } from '#storage/objects/object_store'
import { eventually } from '#tests/helpers/eventually'
import { digest } from './object_store_suite.js'
import { StorageProcess } from './storage_process.js'
import { answerTo, begin, brokenPatch, offsetOf, openPatch, patch, type Speaker } from './tus.js'
import { randomPause, realTime } from '#tests/helpers/real_time'

const MIB = 1024 ** 2

/** So much is stored of a request before it is written down how far it came. */
const PIECE = 64 * MIB
const LARGE = 90 * MIB

export interface ResumableSubject {
  /** What a process finds the object store by. */
  readonly variables: Record<string, string>
  readonly store: ObjectStore
  stop(): Promise<void>
}

/** What uploads survive in real processes that are killed, on an object store. */
export function resumableSuite(name: string, prepare: () => Promise<ResumableSubject>): void {
  test.group(`Resumable uploads over processes | ${name}`, (group) => {
    const content = randomBytes(LARGE)
    const personId = randomUUID()
    const running = new Set<StorageProcess>()
    let subject: ResumableSubject
    let bucketId: string

    const start = async () => {
      const started = await StorageProcess.start(personId, subject.variables)
      running.add(started)
      return started
    }
    const kill = async (victim: StorageProcess) => {
      running.delete(victim)
      await victim.kill()
    }

    group.setup(async () => {
      subject = await prepare()
      const { base, token } = await start()
      const answer = await fetch(`${base}/buckets`, {
        method: 'POST',
        headers: { 'authorization': `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'resumable' }),
      })
      bucketId = ((await answer.json()) as { data: { id: string } }).data.id
      return async () => {
        for (const left of [...running]) {
          await kill(left)
        }
        await subject.stop()
      }
    })

    const first = async () => [...running][0] ?? start()
    const requireFile = async (by: Speaker, path: string, bytes: Uint8Array) => {
      const id = path.split('/').at(-1)!
      const answer = await fetch(`${by.base}/bucket-files/${id}/stream`, {
        headers: { ...by.headers, 'accept-encoding': 'identity' },
      })
      const found = new Uint8Array(await answer.arrayBuffer())
      if (digest(found) !== digest(bytes)) {
        throw new Error(`Other bytes came back: ${found.length}`)
      }
      return answer.headers.get('etag') ?? ''
    }
    const nothingIsLeftOver = async () => {
      const { container } = bucketLocation('own', bucketId)
      return (await Array.fromAsync(subject.store.unfinished(container))).length === 0
    }

    test('uploads break off anywhere, and continue in another process', async ({ assert }) => {
      const bytes = content.subarray(0, 30 * MIB + 12_345)
      const processes = [await first(), await start()]
      const path = await begin(speakerOf(processes[0]!), bucketId, 'broken.bin', bytes.length)
      let offset = 0
      for (let round = 0; offset < bytes.length; round++) {
        const by = speakerOf(processes[round % 2]!)
        const rest = bytes.subarray(offset)
        if (round < 8) {
          await brokenPatch(by, path, offset, rest, randomInt(Math.min(5 * MIB, rest.length)))
        } else {
          await patch(by, path, offset, rest)
        }
        const next = await offsetOf(speakerOf(processes[(round + 1) % 2]!), path)
        assert.isAtLeast(next, offset)
        offset = next
      }
      const etag = await requireFile(speakerOf(processes[0]!), path, bytes)
      assert.include(etag, digest(bytes))
      assert.isTrue(await nothingIsLeftOver())
    }).timeout(600_000)

    test('uploads are released by one process where another one receives a request for them', async ({
      assert,
    }) => {
      const bytes = content.subarray(0, 6 * MIB)
      const [one, other] = [await first(), [...running][1] ?? (await start())]
      const path = await begin(speakerOf(one), bucketId, 'silent.bin', bytes.length)
      const silent = openPatch(speakerOf(one), path, 0, bytes.length)
      const answered = answerTo(silent)
      silent.write(bytes.subarray(0, MIB))
      await realTime(1_500, 'nothing shows how much of a request has arrived')
      assert.equal(await offsetOf(speakerOf(other), path), MIB)
      assert.equal((await answered).status, 408)
      silent.destroy()
      await patch(speakerOf(other), path, MIB, bytes.subarray(MIB))
      await requireFile(speakerOf(one), path, bytes)
      await kill(other)
    }).timeout(600_000)

    test('uploads lose nothing of what was answered when the process is killed', async ({
      assert,
    }) => {
      const bytes = content.subarray(0, 8 * MIB + 1)
      let current = await first()
      const path = await begin(speakerOf(current), bucketId, 'killed.bin', bytes.length)
      for (let offset = 0; offset < bytes.length;) {
        const piece = bytes.subarray(offset, offset + 5 * MIB)
        assert.equal((await patch(speakerOf(current), path, offset, piece)).status, 204)
        offset += piece.length
        await kill(current)
        current = await start()
        assert.equal(await offsetOf(speakerOf(current), path), offset)
      }
      await requireFile(speakerOf(current), path, bytes)
      assert.isTrue(await nothingIsLeftOver())
    }).timeout(600_000)

    test('uploads keep most of what arrived when the process is killed in the middle of a request', async ({
      assert,
    }) => {
      let current = await first()
      const path = await begin(speakerOf(current), bucketId, 'large.bin', content.length)
      let offset = 0
      for (const sent of [10 * MIB, 75 * MIB]) {
        const request = openPatch(speakerOf(current), path, offset, content.length - offset)
        await new Promise<void>((resolve) => {
          request.write(content.subarray(offset, offset + sent), () => resolve())
        })
        if (sent > PIECE) {
          await eventually(async () => (await storedOf(path)) > offset)
        }
        await kill(current)
        request.destroy()
        current = await start()
        const next = await offsetOf(speakerOf(current), path)
        assert.isAtLeast(next, offset)
        offset = next
      }
      assert.isAbove(offset, 0)
      await patch(speakerOf(current), path, offset, content.subarray(offset))
      const etag = await requireFile(speakerOf(current), path, content)
      assert.include(etag, digest(content))
      assert.isTrue(await nothingIsLeftOver())
    }).timeout(600_000)

    test('uploads are completed by a client of the protocol, whatever is killed on the way', async ({
      assert,
      cleanup,
    }) => {
      const bytes = content.subarray(0, 45 * MIB)
      let current = await first()
      const front = await inFrontOf(() => Number(new URL(current.base).port))
      cleanup(() => void front.server.close())
      const base = current.base.replace(/:\d+/, `:${front.port}`)
      const { headers } = speakerOf(current)
      let kills = 0
      // A creation whose answer is lost has taken the name, so kills begin after it.
      const created = Promise.withResolvers<void>()
      const uploading = new Promise<string>((resolve, reject) => {
        const upload = new Upload(bytes, {
          endpoint: `${base}/buckets/${bucketId}/resumable`,
          headers,
          metadata: { filename: `client-${randomUUID()}` },
          chunkSize: 7_000_000,
          // Five minutes: a process may take long to start on a busy machine.
          retryDelays: Array.from({ length: 1_500 }, () => 200),
          onUploadUrlAvailable: () => created.resolve(),
          onError: reject,
          onSuccess: () => resolve(new URL(upload.url!).pathname),
        })
        upload.start()
      })
      const killing = async () => {
        await created.promise
        while (kills < 2) {
          await randomPause(900)
          await kill(current)
          kills++
          current = await start()
        }
      }
      const [pathname] = await Promise.all([uploading, killing()])
      await requireFile(speakerOf(current), pathname, bytes)
      assert.isTrue(await nothingIsLeftOver())
    }).timeout(600_000)
  })
}

/** What is written down of an upload, without asking for it: who is asked ends the request that sends it. */
async function storedOf(path: string): Promise<number> {
  const { rows } = await storagePool().query(
    'select stored::float8 from resumable_uploads where id = $1',
    [path.split('/').at(-1)]
  )
  return rows[0].stored
}

function speakerOf({ base, token }: StorageProcess): Speaker {
  return { base, headers: { authorization: `Bearer ${token}` } }
}

/** An address that stays while the processes behind it come and go. */
async function inFrontOf(port: () => number): Promise<{ server: Server; port: number }> {
  const server = createServer((client) => {
    const behind = connect(port(), '127.0.0.1')
    client.on('error', () => behind.destroy()).on('close', () => behind.destroy())
    behind.on('error', () => client.destroy()).on('close', () => client.destroy())
    client.pipe(behind).pipe(client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, port: (server.address() as AddressInfo).port }
}
