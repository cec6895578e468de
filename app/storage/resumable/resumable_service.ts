import { inject } from '@adonisjs/core'

import { BadRequest, EntityConflict, PayloadTooLarge, PermissionDenied } from '#kernel/failures'
import type { Actor } from '#kernel/actor'
import type { Origin } from '#kernel/origin'
import { owns } from '#storage/access/access_facts'
import { isRealmWritable } from '#kernel/realm'
import { canAccess, requireAccess } from '#storage/access/bucket_access'
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
  listUnfinished,
  type ListedUpload,
  type NewUpload,
  type ResumableUpload,
} from './resumable_uploads.js'
import { quotaLeft, requireQuota, withQuota, type UploadFacts } from './upload_quota.js'
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
    const { kind, id, realmId } = origin.actor
    const sender = { actorType: kind, actorId: id, realmId }
    const facts = { ...sender, bucketId: bucket.id, path }
    await requireQuota(facts, length ?? 0)
    const claim = await this.#claim(origin, bucket, path)
    try {
      const object = await startObject(bucket, claim, length)
      const upload = { length: length ?? null, metadata, object, ...sender }
      const started = await this.#insert(facts, claim, upload)
      return isComplete(started) ? await finishUpload(origin, started) : started
    } catch (error) {
      await releaseClaims([claim.id]).catch(() => {})
      throw error
    }
  }

  /** The unfinished uploads of a bucket that the actor may cancel. */
  async list(
    { actor }: Origin,
    idOrName: string
  ): Promise<{ data: readonly ListedUpload[]; total: number }> {
    const bucket = await this.#buckets.find(idOrName)
    await requireAccess(actor, bucket, 'upload')
    const own = { actorType: actor.kind, actorId: actor.id }
    return listUnfinished(bucket.id, (await maySupervise(actor, bucket)) ? undefined : own)
  }

  /** Reads an upload. A complete one that is not a file yet becomes one, if the actor may still upload. */
  async status(origin: Origin, reference: UploadReference): Promise<ResumableUpload> {
    const bucket = await this.#buckets.find(reference.bucket)
    const mayUpload = await canAccess(origin.actor, bucket, 'upload')
    const mayRead = async (upload: ResumableUpload) => mayUpload || owns(origin.actor, upload)
    return this.#withLock(bucket, reference, mayRead, async (upload) =>
      mayUpload && isComplete(upload) ? finishUpload(origin, upload) : upload
    )
  }

  /** Appends bytes to an upload; the last ones create the file. */
  async append(
    origin: Origin,
    reference: UploadReference,
    body: UploadContinuation
  ): Promise<ResumableUpload> {
    const bucket = await this.#buckets.find(reference.bucket)
    const mayAppend = () => canAccess(origin.actor, bucket, 'upload')
    return this.#withLock(bucket, reference, mayAppend, async (stored, lock) => {
      const { size } = stored.object
      if (body.offset !== size) {
        throw new OffsetMismatch(size)
      }
      const upload = await this.#withLength(stored, body.length)
      const maxBytes = upload.length ?? (await this.#room(upload))
      if (size + (body.bytes ?? 0) > maxBytes) {
        throw new PayloadTooLarge(
          `The upload has ${size} bytes and may have ${maxBytes - size} more`
        )
      }
      if (upload.isFile) {
        return upload
      }
      await requireNoLock(storagePool(), upload.bucketId)
      const room = upload.length === null ? (now: ResumableUpload) => this.#room(now) : undefined
      const next = await receiveChunks(upload, { ...body, room }, maxBytes, lock)
      return isComplete(next) ? finishUpload(origin, next) : next
    })
  }

  /** Cancels an upload: one's own, or any upload to a bucket of one's own. */
  async cancel({ actor }: Origin, reference: UploadReference): Promise<void> {
    const bucket = await this.#buckets.find(reference.bucket)
    const mayCancel = async (upload: ResumableUpload) =>
      owns(actor, upload) || maySupervise(actor, bucket)
    await this.#withLock(bucket, reference, mayCancel, async (upload) => {
      if (upload.isFile) {
        throw new EntityConflict('The upload is already a file; delete it under /bucket-files')
      }
      await discardUpload(upload)
    })
  }

  async #withLock<T>(
    bucket: BucketRow,
    reference: UploadReference,
    isAllowed: (upload: ResumableUpload) => Promise<boolean>,
    work: (upload: ResumableUpload, lock: UploadLock) => Promise<T>
  ): Promise<T> {
    const known = await findUpload(reference.upload, bucket.id)
    if (!(await isAllowed(known))) {
      throw new PermissionDenied('The upload belongs to another caller, or its bucket does')
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
    return withQuota(upload, length, (transaction) => declareLength(transaction, upload, length))
  }

  /** Records an upload within the quota; its object goes again if there is no room for it. */
  async #insert(facts: UploadFacts, claim: Claim, upload: NewUpload): Promise<ResumableUpload> {
    try {
      return await withQuota(facts, upload.length ?? 0, (transaction) =>
        insertUpload(transaction, claim, upload)
      )
    } catch (error) {
      const store = await objectStore()
      await store.discard(claim.address, upload.object).catch(() => {})
      throw error
    }
  }

  /** How many bytes an upload without a length may have. */
  async #room(upload: ResumableUpload): Promise<number> {
    return Math.min(this.#maxBytes || Number.MAX_SAFE_INTEGER, await quotaLeft(upload))
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

/**
 * Whether an actor may see and cancel the uploads of others: the owner of the bucket, those who may change it, and
 * people of its realm who may write there. Programs of other realms write results, too, and cancel only their own.
 */
async function maySupervise(actor: Actor, bucket: BucketRow): Promise<boolean> {
  if (owns(actor, bucket)) {
    return true
  }
  if (!isRealmWritable(actor, bucket.realmId)) {
    return false
  }
  const mayChange = MANAGE.some((permission) => actor.permissions.has(permission))
  const mayUpload = await canAccess(actor, bucket, 'upload')
  return actor.kind === 'user' ? mayChange || mayUpload : mayChange && mayUpload
}

const MANAGE = ['bucket_update', 'bucket_delete']

function isComplete({ isFile, length, object }: ResumableUpload): boolean {
  return !isFile && length === object.size
}
