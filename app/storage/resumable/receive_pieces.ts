import { PayloadTooLarge } from '#kernel/failures'
import { drain } from '#kernel/drain'
import { ContainerMissing, PutInterrupted } from '#storage/objects/errors'
import { objectStore } from '#storage/objects/store'
import type { AnnouncedChecksum } from './announced_checksum.js'
import { ChecksumMismatch, UploadGone, UploadInterrupted } from './failures.js'
import { Incoming } from './incoming.js'
import { SavedDigest } from './saved_digest.js'
import { claimOf, recordProgress, removeUpload, type ResumableUpload } from './resumable_uploads.js'
import type { Hold } from './upload_locks.js'

const LOST = 'The upload could not be held on to'

export interface Sent {
  readonly chunks: AsyncIterable<Uint8Array>
  /** What the bytes of this request must add up to; none of them counts before. */
  readonly checksum?: AnnouncedChecksum
}

/**
 * Stores what one request sends for an upload, piece by piece: whatever happens next, all that was written down is there. Where
 * the request breaks off, so much of the upload as arrived is kept, and the reason is thrown.
 */
export async function receivePieces(
  upload: ResumableUpload,
  { chunks, checksum }: Sent,
  mostBytes: number,
  hold: Hold
): Promise<ResumableUpload> {
  const stop = AbortSignal.any([hold.askedFor, hold.lost, drain.signal])
  const incoming = new Incoming(atMost(mostBytes - upload.object.size, chunks), stop)
  let current = upload
  while (await incoming.hasMore()) {
    const piece = checksum ? incoming.whole() : incoming.piece(current.object.nextBytes)
    const progress = await store(current, piece, checksum, hold)
    if (checksum && incoming.failure !== undefined) {
      break
    }
    if (checksum && !checksum.holds()) {
      throw new ChecksumMismatch()
    }
    current = await recordProgress(current, progress)
  }
  if (incoming.failure !== undefined) {
    throw reasonOf(incoming.failure, stop, hold)
  }
  return current
}

async function store(
  upload: ResumableUpload,
  piece: AsyncIterable<Uint8Array>,
  checksum: AnnouncedChecksum | undefined,
  { lost }: Hold
) {
  const digest = await SavedDigest.from(upload.digest, upload.object.size)
  const objects = await objectStore()
  try {
    const bytes = digested(piece, [digest, ...(checksum ? [checksum] : [])])
    const { address } = claimOf(upload)
    const object = await objects.append(address, upload.object, bytes, { signal: lost })
    return { object, digest: digest.save() }
  } catch (error) {
    if (lost.aborted) {
      throw new UploadInterrupted(LOST, error)
    }
    const isGone = error instanceof PutInterrupted || error instanceof ContainerMissing
    if (!isGone) {
      throw error
    }
    await removeUpload(upload.id)
    throw new UploadGone()
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

async function* atMost(
  bytes: number,
  source: AsyncIterable<Uint8Array>
): AsyncGenerator<Uint8Array, void, undefined> {
  let room = bytes
  for await (const chunk of source) {
    room -= chunk.length
    if (room < 0) {
      throw new PayloadTooLarge('More bytes were sent than the upload has room for')
    }
    yield chunk
  }
}

function reasonOf(failure: unknown, stop: AbortSignal, { askedFor, lost }: Hold): unknown {
  if (failure !== stop.reason) {
    return failure
  }
  if (askedFor.aborted) {
    return new UploadInterrupted('Another request goes on with this upload')
  }
  if (lost.aborted) {
    return new UploadInterrupted(LOST, lost.reason)
  }
  return new UploadInterrupted('This process is stopping')
}
