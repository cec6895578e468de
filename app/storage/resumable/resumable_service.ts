import app from '@adonisjs/core/services/app'

import { BadRequest, EntityConflict, PayloadTooLarge } from '#kernel/failures'
import type { Origin } from '#kernel/origin'
import { owns, requireReach } from '#storage/access/access'
import type { BucketRow } from '#storage/buckets/bucket'
import { BucketService } from '#storage/buckets/bucket_service'
import { claimPath, PathTaken, releaseClaims, type Claim } from '#storage/claims/claims'
import { HELD_MS } from '#storage/claims/heartbeat'
import { storagePool } from '#storage/database'
import { requireNoLock } from '#storage/locks/bucket_locks'
import { ContainerMissing } from '#storage/objects/errors'
import type { PartialObject } from '#storage/objects/object_store'
import { objectStore } from '#storage/objects/store'
import { restorePlace } from '#storage/objects/places'
import { OffsetMismatch } from './failures.js'
import { discardUpload, finishUpload } from './finish_upload.js'
import { receivePieces, type Sent } from './receive_pieces.js'
import {
  declareLength,
  findOnPath,
  findUpload,
  insertUpload,
  type ResumableUpload,
} from './resumable_uploads.js'
import { UploadLocks, type Hold } from './upload_locks.js'
import { pathInMetadata } from './upload_metadata.js'

export interface Beginning {
  /** All bytes of the file; undefined where the client does not know yet. */
  readonly length: number | undefined
  readonly metadata: string
}

export interface Continuation extends Sent {
  /** Where the bytes belong. */
  readonly offset: number
  /** How many come, where that is known. */
  readonly bytes: number | undefined
  /** The length of the whole, where it is told only now. */
  readonly length: number | undefined
}

interface Named {
  /** Id or name. */
  readonly bucket: string
  readonly upload: string
}

/** Uploads that may break off at any byte and be gone on with by any process. */
export class ResumableService {
  readonly #locks = new UploadLocks()
  readonly #maxBytes: number

  /** `maxBytes` is the most a file may have; 0 is no limit. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  async begin(origin: Origin, idOrName: string, beginning: Beginning): Promise<ResumableUpload> {
    const bucket = await bucketNamed(idOrName)
    await requireReach(origin.actor, bucket, 'upload')
    await requireNoLock(storagePool(), bucket.id)
    const { length, metadata } = beginning
    const path = pathInMetadata(metadata)
    this.#requireSize(length)
    const claim = await this.#claim(origin, bucket, path)
    const { kind, id, realmId } = origin.actor
    try {
      const object = await beginObject(bucket, claim, length)
      const sender = { actorType: kind, actorId: id, realmId }
      const upload = { length: length ?? null, metadata, object, ...sender }
      const begun = await insertUpload(claim, upload)
      return isWhole(begun) ? await finishUpload(origin, begun) : begun
    } catch (error) {
      await releaseClaims([claim.id]).catch(() => {})
      throw error
    }
  }

  /** How far an upload is. One that has all of its bytes and is no file yet becomes one. */
  async status(origin: Origin, named: Named): Promise<ResumableUpload> {
    return this.#holding(origin, named, async (upload) =>
      isWhole(upload) ? finishUpload(origin, upload) : upload
    )
  }

  /** Adds bytes to an upload; the last ones make a file of it. */
  async proceed(origin: Origin, named: Named, sent: Continuation): Promise<ResumableUpload> {
    return this.#holding(origin, named, async (found, hold) => {
      const { size } = found.object
      if (sent.offset !== size) {
        throw new OffsetMismatch(size)
      }
      const upload = await this.#withLength(found, sent.length)
      const mostBytes = upload.length ?? (this.#maxBytes || Number.MAX_SAFE_INTEGER)
      if (size + (sent.bytes ?? 0) > mostBytes) {
        throw new PayloadTooLarge(
          `The upload has ${size} bytes, and room for ${mostBytes - size} more`
        )
      }
      if (upload.isFile) {
        return upload
      }
      await requireNoLock(storagePool(), upload.bucketId)
      const next = await receivePieces(upload, sent, mostBytes, hold)
      return isWhole(next) ? finishUpload(origin, next) : next
    })
  }

  /** Ends an upload that is not to become a file. */
  async end(origin: Origin, named: Named): Promise<void> {
    await this.#holding(origin, named, async (upload) => {
      if (upload.isFile) {
        throw new EntityConflict('The upload is a file by now; delete that under /bucket-files')
      }
      await discardUpload(upload)
    })
  }

  async #holding<T>(
    { actor }: Origin,
    named: Named,
    work: (upload: ResumableUpload, hold: Hold) => Promise<T>
  ): Promise<T> {
    const bucket = await bucketNamed(named.bucket)
    const known = await findUpload(named.upload, bucket.id)
    if (!owns(actor, known)) {
      await requireReach(actor, bucket, 'upload')
    }
    return this.#locks.holding(known.id, async (hold) =>
      work(await findUpload(known.id, bucket.id), hold)
    )
  }

  /**
   * A client that begins the same file once more was never answered its first beginning, or has forgotten it. That one would keep
   * the path until it expires, so it makes room.
   */
  async #claim(origin: Origin, { id, region }: BucketRow, path: string): Promise<Claim> {
    const request = { bucketId: id, region, path, heldForMs: HELD_MS }
    try {
      return await claimPath(request)
    } catch (error) {
      const former = error instanceof PathTaken ? await findOnPath(id, path) : undefined
      if (!former || !owns(origin.actor, former)) {
        throw error
      }
      await this.end(origin, { bucket: id, upload: former.id })
      return claimPath(request)
    }
  }

  async #withLength(upload: ResumableUpload, length: number | undefined) {
    if (length === undefined || length === upload.length) {
      return upload
    }
    if (upload.length !== null || length < upload.object.size) {
      throw new BadRequest('The length of an upload cannot change, nor be less than what arrived')
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

async function bucketNamed(idOrName: string): Promise<BucketRow> {
  const buckets = await app.container.make(BucketService)
  return buckets.find(idOrName)
}

/** The bucket may have lost its place in the store behind our back; it is made again. */
async function beginObject(
  bucket: BucketRow,
  { address }: Claim,
  expectedBytes: number | undefined
): Promise<PartialObject> {
  const store = await objectStore()
  try {
    return await store.begin(address, { expectedBytes })
  } catch (error) {
    if (!(error instanceof ContainerMissing)) {
      throw error
    }
    await restorePlace(bucket.id, bucket.region)
    return store.begin(address, { expectedBytes })
  }
}

function isWhole({ isFile, length, object }: ResumableUpload): boolean {
  return !isFile && length === object.size
}
