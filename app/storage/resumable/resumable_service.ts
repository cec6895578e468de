import { inject } from '@adonisjs/core'

import { BadRequest, EntityConflict, PayloadTooLarge } from '#kernel/failures'
import type { Origin } from '#kernel/origin'
import { owns, requireAccess } from '#storage/access/bucket_access'
import type { BucketRow } from '#storage/buckets/bucket'
import { BucketService } from '#storage/buckets/bucket_service'
import { claimPath, PathTaken, releaseClaims, type Claim } from '#storage/claims/claims'
import { CLAIM_TTL_MS } from '#storage/claims/heartbeat'
import { storagePool } from '#storage/database'
import { requireNoLock } from '#storage/locks/bucket_locks'
import { ContainerMissing } from '#storage/objects/errors'
import type { PartialObject } from '#storage/objects/object_store'
import { objectStore } from '#storage/objects/store'
import { restoreLocation } from '#storage/objects/bucket_locations'
import { storageSettings } from '#storage/storage_settings'
import { OffsetMismatch } from './failures.js'
import { discardUpload, finishUpload } from './finish_upload.js'
import { receiveChunks, type UploadBody } from './receive_chunks.js'
import {
  declareLength,
  findOnPath,
  findUpload,
  insertUpload,
  type ResumableUpload,
} from './resumable_uploads.js'
import { UploadLocks, type UploadLock } from './upload_locks.js'
import { pathFromMetadata } from './upload_metadata.js'

export interface UploadRequest {
  /** The size of the file; undefined if it is not known yet. */
  readonly length: number | undefined
  readonly metadata: string
}

export interface UploadContinuation extends UploadBody {
  /** The offset of the bytes. */
  readonly offset: number
  /** The number of bytes, if it is known. */
  readonly bytes: number | undefined
  /** The size of the file, if the client deferred it and sends it now. */
  readonly length: number | undefined
}

interface UploadReference {
  /** Id or name. */
  readonly bucket: string
  readonly upload: string
}

/** Uploads that can be interrupted at any byte and resumed by any process. */
@inject()
export class ResumableService {
  readonly #locks = new UploadLocks()
  readonly #maxBytes = storageSettings().uploadMaxBytes
  readonly #buckets: BucketService

  constructor(buckets: BucketService) {
    this.#buckets = buckets
  }

  async start(origin: Origin, idOrName: string, request: UploadRequest): Promise<ResumableUpload> {
    const bucket = await this.#buckets.find(idOrName)
    await requireAccess(origin.actor, bucket, 'upload')
    await requireNoLock(storagePool(), bucket.id)
    const { length, metadata } = request
    const path = pathFromMetadata(metadata)
    this.#requireSize(length)
    const claim = await this.#claim(origin, bucket, path)
    const { kind, id, realmId } = origin.actor
    try {
      const object = await startObject(bucket, claim, length)
      const sender = { actorType: kind, actorId: id, realmId }
      const upload = { length: length ?? null, metadata, object, ...sender }
      const started = await insertUpload(claim, upload)
      return isComplete(started) ? await finishUpload(origin, started) : started
    } catch (error) {
      await releaseClaims([claim.id]).catch(() => {})
      throw error
    }
  }

  /** Reads an upload. A complete one that is no file yet becomes one. */
  async status(origin: Origin, reference: UploadReference): Promise<ResumableUpload> {
    return this.#withLock(origin, reference, async (upload) =>
      isComplete(upload) ? finishUpload(origin, upload) : upload
    )
  }

  /** Appends bytes to an upload; the last ones create the file. */
  async append(
    origin: Origin,
    reference: UploadReference,
    body: UploadContinuation
  ): Promise<ResumableUpload> {
    return this.#withLock(origin, reference, async (stored, lock) => {
      const { size } = stored.object
      if (body.offset !== size) {
        throw new OffsetMismatch(size)
      }
      const upload = await this.#withLength(stored, body.length)
      const maxBytes = upload.length ?? (this.#maxBytes || Number.MAX_SAFE_INTEGER)
      if (size + (body.bytes ?? 0) > maxBytes) {
        throw new PayloadTooLarge(
          `The upload has ${size} bytes and may have ${maxBytes - size} more`
        )
      }
      if (upload.isFile) {
        return upload
      }
      await requireNoLock(storagePool(), upload.bucketId)
      const next = await receiveChunks(upload, body, maxBytes, lock)
      return isComplete(next) ? finishUpload(origin, next) : next
    })
  }

  /** Cancels an upload. */
  async cancel(origin: Origin, reference: UploadReference): Promise<void> {
    await this.#withLock(origin, reference, async (upload) => {
      if (upload.isFile) {
        throw new EntityConflict('The upload is already a file; delete it under /bucket-files')
      }
      await discardUpload(upload)
    })
  }

  async #withLock<T>(
    { actor }: Origin,
    reference: UploadReference,
    work: (upload: ResumableUpload, lock: UploadLock) => Promise<T>
  ): Promise<T> {
    const bucket = await this.#buckets.find(reference.bucket)
    const known = await findUpload(reference.upload, bucket.id)
    if (!owns(actor, known)) {
      await requireAccess(actor, bucket, 'upload')
    }
    return this.#locks.withLock(known.id, async (lock) =>
      work(await findUpload(known.id, bucket.id), lock)
    )
  }

  /**
   * Claims the path. If the client starts the same file again, it did not get or has lost the first response, so
   * its previous upload is cancelled: it would block the path until it expires.
   */
  async #claim(origin: Origin, { id, region }: BucketRow, path: string): Promise<Claim> {
    const request = { bucketId: id, region, path, ttlMs: CLAIM_TTL_MS }
    try {
      return await claimPath(request)
    } catch (error) {
      const previous = error instanceof PathTaken ? await findOnPath(id, path) : undefined
      if (!previous || !owns(origin.actor, previous)) {
        throw error
      }
      await this.cancel(origin, { bucket: id, upload: previous.id })
      return claimPath(request)
    }
  }

  async #withLength(upload: ResumableUpload, length: number | undefined) {
    if (length === undefined || length === upload.length) {
      return upload
    }
    if (upload.length !== null || length < upload.object.size) {
      throw new BadRequest(
        'The length of an upload cannot change, nor be less than the stored bytes'
      )
    }
    this.#requireSize(length)
    return declareLength(upload, length)
  }

  #requireSize(length: number | undefined): void {
    if (this.#maxBytes > 0 && (length ?? 0) > this.#maxBytes) {
      throw new PayloadTooLarge(`A file may have at most ${this.#maxBytes} bytes`)
    }
  }
}

/** Recreates the location of the bucket if the store has lost it. */
async function startObject(
  bucket: BucketRow,
  { address }: Claim,
  expectedBytes: number | undefined
): Promise<PartialObject> {
  const store = await objectStore()
  try {
    return await store.startUpload(address, { expectedBytes })
  } catch (error) {
    if (!(error instanceof ContainerMissing)) {
      throw error
    }
    await restoreLocation(bucket.id, bucket.region)
    return store.startUpload(address, { expectedBytes })
  }
}

function isComplete({ isFile, length, object }: ResumableUpload): boolean {
  return !isFile && length === object.size
}
