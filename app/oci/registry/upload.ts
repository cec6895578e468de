import { createHash } from 'node:crypto'

import { requireSame } from '#oci/checked_bytes'
import { ImageFailure, RegistryAway, RegistryConfused } from '#oci/errors'
import type { BlobAddress, BlobSource, Wanted, WritableSource } from '#oci/image_store'
import { chunksOf } from './chunks.js'
import { cancelled } from './begun_uploads.js'
import { RegistryRefusal, type RegistryClient } from './registry_client.js'
import type { UploadSession } from './upload_session.js'

/** Object stores below registries take parts of 5 MiB at least. What is shorter than this is sent at once. */
export const CHUNK_BYTES = 6 * 1024 ** 2

/** What ends an upload of several chunks: Harbor counts what comes with that as the whole blob, and zot takes no bytes there. */
const NOTHING = Buffer.alloc(0)

interface Uploading {
  readonly client: RegistryClient
  /** Begins an upload, or goes on with one that was begun already. */
  readonly begin: () => Promise<UploadSession>
  readonly hasBlob: (digest: string) => Promise<boolean>
}

/** Writes a blob, from its first byte again where a session is lost and its bytes can be had once more. */
export async function upload(
  uploading: Uploading,
  source: WritableSource,
  wanted: Wanted
): Promise<BlobAddress> {
  const canBegin = typeof source === 'function'
  const firstAt = performance.now()
  for (let attempt = 1; ; attempt++) {
    try {
      return await uploadOnce(uploading, canBegin ? source() : source, wanted)
    } catch (error) {
      const isOver = !mayGoBetter(error, attempt) || uploading.client.isGivenUp(attempt, firstAt)
      if (!canBegin || isOver) {
        throw error
      }
      await uploading.client.rest(attempt)
    }
  }
}

async function uploadOnce(
  uploading: Uploading,
  source: BlobSource,
  wanted: Wanted
): Promise<BlobAddress> {
  const { client } = uploading
  const hash = createHash('sha256')
  let size = 0
  let session: Promise<UploadSession> | undefined = uploading.begin()
  const chunks = chunksOf(source, CHUNK_BYTES)
  try {
    let next = chunks.next()
    for (;;) {
      const { value: chunk } = await client.unlessStopped(next)
      if (!chunk) {
        throw new RangeError('A blob has no last chunk')
      }
      hash.update(chunk.bytes)
      const offset = size
      size += chunk.bytes.length
      if (chunk.isLast) {
        const written = { digest: `sha256:${hash.digest('hex')}`, size }
        requireSame(wanted, written)
        wanted.onRead?.(written)
        if (offset > 0) {
          await append(client, await session, chunk.bytes, offset)
          await finish(uploading, await session, NOTHING, written)
        } else {
          const first = session
          session = undefined
          await sendWhole(uploading, first, chunk.bytes, written)
        }
        return written
      }
      next = chunks.next()
      next.catch(() => {})
      await append(client, await session, chunk.bytes, offset)
    }
  } catch (error) {
    await cancelled(session)
    throw error
  } finally {
    void chunks.return().catch(() => {})
  }
}

/** What fits into one chunk can be sent again as often as it takes. */
async function sendWhole(
  uploading: Uploading,
  first: Promise<UploadSession>,
  bytes: Buffer,
  written: BlobAddress
): Promise<void> {
  const { client } = uploading
  let beginning = first
  const firstAt = performance.now()
  for (let attempt = 1; ; attempt++) {
    const session = await beginning
    try {
      return await finish(uploading, session, bytes, written)
    } catch (error) {
      await session.cancel()
      if (!mayGoBetter(error, attempt) || client.isGivenUp(attempt, firstAt)) {
        throw error
      }
      await client.rest(attempt)
      beginning = uploading.begin()
    }
  }
}

/** The first upload was perhaps begun long before there was anything to send, and is no more. */
const mayGoBetter = (error: unknown, attempt: number): boolean =>
  isPassing(error) || (attempt === 1 && error instanceof RegistryRefusal)

/** A chunk, the rest of it after a connection broke. */
async function append(
  client: RegistryClient,
  session: UploadSession,
  bytes: Buffer,
  offset: number
): Promise<void> {
  let sent = 0
  let firstAt = 0
  for (let failures = 0; sent < bytes.length;) {
    try {
      await session.append(bytes.subarray(sent), offset + sent)
      return
    } catch (error) {
      requireUndisturbed(error, client, failures)
      firstAt = failures === 0 ? performance.now() : firstAt
      failures++
      sent = await progressAfter(error, client, session, { failures, firstAt, offset, sent })
      if (sent > bytes.length) {
        throw new RegistryConfused(`${client.host} has more of a blob than it was sent`)
      }
    }
  }
}

/** Of a request that broke off more can arrive while the next one is sent already; then the upload begins anew. */
function requireUndisturbed(error: unknown, client: RegistryClient, failures: number): void {
  if (failures > 0 && error instanceof RegistryConfused) {
    throw new RegistryAway(`${client.host} mixed up an upload that had broken off`, error)
  }
}

interface Standing {
  readonly failures: number
  readonly firstAt: number
  readonly offset: number
  readonly sent: number
}

/** How much of a chunk arrived before its request failed; throws where the session cannot be gone on with. */
async function progressAfter(
  error: unknown,
  client: RegistryClient,
  session: UploadSession,
  { failures, firstAt, offset, sent }: Standing
): Promise<number> {
  client.throwIfStopped()
  if (!isPassing(error) || client.isGivenUp(failures, firstAt)) {
    throw error
  }
  await client.rest(failures)
  const received = await session.received()
  if (received === undefined || received < offset + sent) {
    throw new RegistryAway(`${client.host} lost an upload after ${offset + sent} bytes`, error)
  }
  return received - offset
}

/** The registry compares all bytes with the digest. A connection that breaks there says nothing about how that ended. */
async function finish(
  { client, hasBlob }: Uploading,
  session: UploadSession,
  bytes: Buffer,
  written: BlobAddress
): Promise<void> {
  try {
    const answer = await session.finish(bytes, written.digest)
    const said = answer.header('docker-content-digest')
    if (said !== undefined && said !== written.digest) {
      throw new RegistryConfused(
        `${client.host} was sent ${written.digest}, and says it has ${said}`
      )
    }
    await session.end()
  } catch (error) {
    client.throwIfStopped()
    if (!isPassing(error) || !(await hasBlob(written.digest))) {
      throw error
    }
    await session.cancel()
  }
}

const isPassing = (error: unknown): boolean => error instanceof ImageFailure && error.isPassing
