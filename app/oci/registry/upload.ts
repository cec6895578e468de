import { createHash } from 'node:crypto'

import { requireSame } from '#oci/verified_bytes'
import { ImageFailure, RegistryUnavailable, RegistryResponseInvalid } from '#oci/errors'
import type { BlobAddress, BlobSource, BlobWriteOptions, WritableSource } from '#oci/image_store'
import { chunksOf } from './chunks.js'
import { cancelPending } from './upload_pool.js'
import { RegistryRejection, type RegistryClient } from './registry_client.js'
import type { UploadSession } from './upload_session.js'

/** Object stores below registries take parts of 5 MiB at least. What is shorter than this is sent at once. */
export const CHUNK_BYTES = 6 * 1024 ** 2

/** What ends an upload of several chunks: Harbor counts what comes with that as the whole blob, and zot takes no bytes there. */
const EMPTY = Buffer.alloc(0)

interface UploadContext {
  readonly client: RegistryClient
  /** Begins an upload, or goes on with one that was begun already. */
  readonly start: () => Promise<UploadSession>
  readonly hasBlob: (digest: string) => Promise<boolean>
}

/** Writes a blob, from its first byte again where a session is lost and its bytes can be had once more. */
export async function upload(
  context: UploadContext,
  source: WritableSource,
  options: BlobWriteOptions
): Promise<BlobAddress> {
  const canRestart = typeof source === 'function'
  const startedAt = performance.now()
  for (let attempt = 1; ; attempt++) {
    try {
      return await uploadOnce(context, canRestart ? source() : source, options)
    } catch (error) {
      const isFinal = !isRetryable(error, attempt) || context.client.isExhausted(attempt, startedAt)
      if (!canRestart || isFinal) {
        throw error
      }
      await context.client.backOff(attempt)
    }
  }
}

async function uploadOnce(
  context: UploadContext,
  source: BlobSource,
  options: BlobWriteOptions
): Promise<BlobAddress> {
  const { client } = context
  const hash = createHash('sha256')
  let size = 0
  let session: Promise<UploadSession> | undefined = context.start()
  const chunks = chunksOf(source, CHUNK_BYTES)
  try {
    let next = chunks.next()
    for (;;) {
      const { value: chunk } = await client.unlessAborted(next)
      if (!chunk) {
        throw new RangeError('A blob has no last chunk')
      }
      hash.update(chunk.bytes)
      const offset = size
      size += chunk.bytes.length
      if (chunk.isLast) {
        const written = { digest: `sha256:${hash.digest('hex')}`, size }
        requireSame(options, written)
        options.onRead?.(written)
        if (offset > 0) {
          await append(client, await session, chunk.bytes, offset)
          await finish(context, await session, EMPTY, written)
        } else {
          const first = session
          session = undefined
          await sendSingleChunk(context, first, chunk.bytes, written)
        }
        return written
      }
      next = chunks.next()
      next.catch(() => {})
      await append(client, await session, chunk.bytes, offset)
    }
  } catch (error) {
    await cancelPending(session)
    throw error
  } finally {
    void chunks.return().catch(() => {})
  }
}

/** What fits into one chunk can be sent again as often as it takes. */
async function sendSingleChunk(
  context: UploadContext,
  first: Promise<UploadSession>,
  bytes: Buffer,
  written: BlobAddress
): Promise<void> {
  const { client } = context
  let pending = first
  const startedAt = performance.now()
  for (let attempt = 1; ; attempt++) {
    const session = await pending
    try {
      return await finish(context, session, bytes, written)
    } catch (error) {
      await session.cancel()
      if (!isRetryable(error, attempt) || client.isExhausted(attempt, startedAt)) {
        throw error
      }
      await client.backOff(attempt)
      pending = context.start()
    }
  }
}

/** The first upload was perhaps begun long before there was anything to send, and is no more. */
const isRetryable = (error: unknown, attempt: number): boolean =>
  isTransient(error) || (attempt === 1 && error instanceof RegistryRejection)

/** A chunk, the rest of it after a connection broke. */
async function append(
  client: RegistryClient,
  session: UploadSession,
  bytes: Buffer,
  offset: number
): Promise<void> {
  let sent = 0
  let startedAt = 0
  for (let failures = 0; sent < bytes.length;) {
    try {
      await session.append(bytes.subarray(sent), offset + sent)
      return
    } catch (error) {
      requireConsistent(error, client, failures)
      startedAt = failures === 0 ? performance.now() : startedAt
      failures++
      sent = await recoverProgress(error, client, session, {
        failures,
        firstAt: startedAt,
        offset,
        sent,
      })
      if (sent > bytes.length) {
        throw new RegistryResponseInvalid(`${client.host} has more of a blob than it was sent`)
      }
    }
  }
}

/** Of a request that broke off more can arrive while the next one is sent already; then the upload begins anew. */
function requireConsistent(error: unknown, client: RegistryClient, failures: number): void {
  if (failures > 0 && error instanceof RegistryResponseInvalid) {
    throw new RegistryUnavailable(`${client.host} mixed up an upload that had broken off`, error)
  }
}

interface ChunkProgress {
  readonly failures: number
  readonly firstAt: number
  readonly offset: number
  readonly sent: number
}

/** How much of a chunk arrived before its request failed; throws where the session cannot be gone on with. */
async function recoverProgress(
  error: unknown,
  client: RegistryClient,
  session: UploadSession,
  { failures, firstAt: startedAt, offset, sent }: ChunkProgress
): Promise<number> {
  client.throwIfAborted()
  if (!isTransient(error) || client.isExhausted(failures, startedAt)) {
    throw error
  }
  await client.backOff(failures)
  const received = await session.receivedBytes()
  if (received === undefined || received < offset + sent) {
    throw new RegistryUnavailable(
      `${client.host} lost an upload after ${offset + sent} bytes`,
      error
    )
  }
  return received - offset
}

/** The registry compares all bytes with the digest. A connection that breaks there says nothing about how that ended. */
async function finish(
  { client, hasBlob }: UploadContext,
  session: UploadSession,
  bytes: Buffer,
  written: BlobAddress
): Promise<void> {
  try {
    const response = await session.finish(bytes, written.digest)
    const reported = response.header('docker-content-digest')
    if (reported !== undefined && reported !== written.digest) {
      throw new RegistryResponseInvalid(
        `${client.host} was sent ${written.digest}, and says it has ${reported}`
      )
    }
    await session.complete()
  } catch (error) {
    client.throwIfAborted()
    if (!isTransient(error) || !(await hasBlob(written.digest))) {
      throw error
    }
    await session.cancel()
  }
}

const isTransient = (error: unknown): boolean => error instanceof ImageFailure && error.isTransient
