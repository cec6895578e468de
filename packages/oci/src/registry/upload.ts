import { createHash } from 'node:crypto'

import { requireSame } from '#oci/verified_bytes'
import { ImageFailure, RegistryUnavailable, RegistryResponseInvalid } from '#oci/errors'
import type { BlobAddress, BlobSource, BlobWriteOptions, WritableSource } from '#oci/image_store'
import { chunksOf } from './chunks.js'
import { cancelPending } from './upload_pool.js'
import { RegistryRejection, type RegistryClient } from './registry_client.js'
import type { UploadSession } from './upload_session.js'

/** Object storage behind registries requires parts of at least 5 MiB. Shorter blobs are sent in one request. */
export const CHUNK_BYTES = 6 * 1024 ** 2

/** Body of the final request after several chunks: Harbor takes it for the whole blob, and zot accepts none. */
const EMPTY = Buffer.alloc(0)

interface UploadContext {
  readonly client: RegistryClient
  /** Returns a new or a prepared upload session. */
  readonly start: () => Promise<UploadSession>
  readonly hasBlob: (digest: string) => Promise<boolean>
}

/** Writes a blob. If the session is lost and the source can be reopened, it starts over. */
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

/** A single chunk can be sent again without reading the source. */
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

/** On the first attempt, a prepared session may have expired. */
const isRetryable = (error: unknown, attempt: number): boolean =>
  isTransient(error) || (attempt === 1 && error instanceof RegistryRejection)

/** Sends a chunk and resumes it if the connection breaks. */
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
        throw new RegistryResponseInvalid(
          `${client.host} reports more bytes of a blob than were sent`
        )
      }
    }
  }
}

/** Bytes of the broken request may arrive after the next one started. Then the upload starts over. */
function requireConsistent(error: unknown, client: RegistryClient, failures: number): void {
  if (failures > 0 && error instanceof RegistryResponseInvalid) {
    throw new RegistryUnavailable(
      `${client.host} mixed up the requests of an interrupted upload`,
      error
    )
  }
}

interface ChunkProgress {
  readonly failures: number
  readonly firstAt: number
  readonly offset: number
  readonly sent: number
}

/** Returns how much of the chunk arrived before the failure. Throws if the session cannot be resumed. */
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

/**
 * Completes the upload; the registry verifies the digest. If the connection breaks, the blob may exist nevertheless.
 */
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
        `${client.host} reports digest ${reported} for ${written.digest}`
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
