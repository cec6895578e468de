import { PayloadTooLarge } from '#kernel/failures'
import { drain } from '#kernel/drain'
import { ContainerMissing, PutInterrupted } from '#storage/objects/errors'
import { objectStore } from '#storage/objects/store'
import type { AnnouncedChecksum } from './announced_checksum.js'
import { ChecksumMismatch, UploadNotFound, UploadInterrupted } from './failures.js'
import { ChunkReader } from './chunk_reader.js'
import { SavedDigest } from './saved_digest.js'
import { claimOf, recordProgress, removeUpload, type ResumableUpload } from './resumable_uploads.js'
import type { UploadLock } from './upload_locks.js'

const LOCK_LOST = 'The lock on the upload was lost'

export interface UploadBody {
  readonly chunks: AsyncIterable<Uint8Array>
  /** The checksum of this request; its bytes count only if it matches. */
  readonly checksum?: AnnouncedChecksum
  /** How many bytes the upload may have by now; others may have used up the room meanwhile. */
  readonly room?: (upload: ResumableUpload) => Promise<number>
}

/**
 * Stores the bytes of one request, chunk by chunk; each recorded chunk is durable. If the request breaks off, the
 * stored chunks stay and the reason is thrown.
 */
export async function receiveChunks(
  upload: ResumableUpload,
  { chunks, checksum, room }: UploadBody,
  maxBytes: number,
  lock: UploadLock
): Promise<ResumableUpload> {
  const stop = AbortSignal.any([lock.releaseRequested, lock.lost, drain.signal])
  const reader = new ChunkReader(limited(maxBytes - upload.object.size, chunks), stop)
  let current = upload
  while (await reader.hasMore()) {
    if (room && (await room(current)) <= current.object.size) {
      throw new PayloadTooLarge(
        'Unfinished uploads use up all the room: finish or cancel some of them first'
      )
    }
    const content = checksum ? reader.all() : reader.nextChunk(current.object.nextBytes)
    const progress = await store(current, content, checksum, lock)
    if (checksum && reader.failure !== undefined) {
      break
    }
    if (checksum && !checksum.matches()) {
      throw new ChecksumMismatch()
    }
    current = await recordProgress(current, progress)
  }
  if (reader.failure !== undefined) {
    throw reasonOf(reader.failure, stop, lock)
  }
  return current
}

async function store(
  upload: ResumableUpload,
  content: AsyncIterable<Uint8Array>,
  checksum: AnnouncedChecksum | undefined,
  { lost }: UploadLock
) {
  const digest = await SavedDigest.from(upload.digest, upload.object.size)
  const objects = await objectStore()
  try {
    const bytes = digested(content, [digest, ...(checksum ? [checksum] : [])])
    const { address } = claimOf(upload)
    const object = await objects.append(address, upload.object, bytes, { signal: lost })
    return { object, digest: digest.save() }
  } catch (error) {
    if (lost.aborted) {
      throw new UploadInterrupted(LOCK_LOST, error)
    }
    const isLost = error instanceof PutInterrupted || error instanceof ContainerMissing
    if (!isLost) {
      throw error
    }
    await removeUpload(upload.id)
    throw new UploadNotFound()
  }
}

async function* digested(
  source: AsyncIterable<Uint8Array>,
  digests: readonly { update(bytes: Uint8Array): void }[]
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of source) {
    for (const digest of digests) {
      digest.update(chunk)
    }
    yield chunk
  }
}

async function* limited(
  bytes: number,
  source: AsyncIterable<Uint8Array>
): AsyncGenerator<Uint8Array, void, undefined> {
  let room = bytes
  for await (const chunk of source) {
    room -= chunk.length
    if (room < 0) {
      throw new PayloadTooLarge('The request has more bytes than the upload may have')
    }
    yield chunk
  }
}

function reasonOf(
  failure: unknown,
  stop: AbortSignal,
  { releaseRequested: askedFor, lost }: UploadLock
): unknown {
  if (failure !== stop.reason) {
    return failure
  }
  if (askedFor.aborted) {
    return new UploadInterrupted('Another request continues this upload')
  }
  if (lost.aborted) {
    return new UploadInterrupted(LOCK_LOST, lost.reason)
  }
  return new UploadInterrupted('This process is stopping')
}
