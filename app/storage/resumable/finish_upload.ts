import { EntityConflict } from '#kernel/failures'
import type { Origin } from '#kernel/origin'
import { createFiles } from '#storage/claims/create_files'
import { AnalysisLocked } from '#storage/locks/bucket_locks'
import { PutInterrupted } from '#storage/objects/errors'
import { objectStore } from '#storage/objects/store'
import { UploadNotFound } from './failures.js'
import { digestOf, SavedDigest } from './saved_digest.js'
import { claimOf, removeUpload, type ResumableUpload } from './resumable_uploads.js'

/**
 * Creates the file of a complete upload. The next request may repeat it after a failure, so that no complete upload
 * stays without a file. While the bucket is locked it throws and keeps the upload until it expires.
 */
export async function finishUpload(
  origin: Origin,
  upload: ResumableUpload
): Promise<ResumableUpload> {
  const { bucketId, object, actorType, actorId, realmId } = upload
  const claim = claimOf(upload)
  try {
    const store = await objectStore()
    await store.complete(claim.address, object)
    const sha256 = await sha256Of(upload)
    const sender = { actorType, actorId, realmId }
    await createFiles(origin, bucketId, [{ claim, size: object.size, sha256 }], sender)
    return { ...upload, isFile: true }
  } catch (error) {
    if (error instanceof EntityConflict && !(error instanceof AnalysisLocked)) {
      await discardUpload(upload)
    }
    throw error instanceof PutInterrupted ? new UploadNotFound() : error
  }
}

/** Removes an upload with its bytes and frees its path. */
export async function discardUpload(upload: ResumableUpload): Promise<void> {
  const store = await objectStore()
  await store.discard(claimOf(upload).address, upload.object)
  await removeUpload(upload.id)
}

async function sha256Of(upload: ResumableUpload): Promise<string> {
  const digest = await SavedDigest.from(upload.digest, upload.object.size)
  const sha256 = digest.end()
  if (sha256 !== undefined) {
    return sha256
  }
  const store = await objectStore()
  return digestOf(await store.read(claimOf(upload).address))
}
