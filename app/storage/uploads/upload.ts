import { BadRequest, PayloadTooLarge, ServiceUnavailable } from '#http/failures'
import { issue } from '#http/issues'
import type { Origin } from '#records/events'
import type { BucketRow } from '#storage/buckets/bucket'
import { buckets } from '#storage/buckets/services'
import { claimPath, releaseClaims, type Claim } from '#storage/claims/claims'
import { HELD_MS, heartbeat } from '#storage/claims/heartbeat'
import { keepFiles, type Arrived } from '#storage/claims/keep_files'
import { ContainerMissing, PutInterrupted } from '#storage/objects/errors'
import type { ObjectStore } from '#storage/objects/object_store'
import { pathProblem } from '#storage/paths'
import { restorePlace } from '#storage/places'
import type { Part } from './multipart.js'
import { storeUpload } from './store_upload.js'

export interface UploadLimits {
  /** The most bytes a file may have; 0 is no limit, as it is for the number of files. */
  readonly maxBytes: number
  readonly maxFiles: number
}

interface Target {
  readonly origin: Origin
  readonly bucket: BucketRow
  readonly store: ObjectStore
}

/** The bucket lost its place in the store behind our back. */
class PlaceRestored extends ServiceUnavailable {
  constructor(cause: unknown) {
    super('The object store had lost the bucket, which was made again; send the files again', {
      cause,
    })
  }
}

/** The files of one request on their way into a bucket: all of them get there, or none. */
export class Upload {
  readonly #target: Target
  readonly #limits: UploadLimits
  readonly #claims: Claim[] = []
  readonly #arrived: Arrived[] = []

  constructor(target: Target, limits: UploadLimits) {
    this.#target = target
    this.#limits = limits
  }

  /** Stores the files among the parts one after the other. Answers their records as JSON. */
  async run(
    parts: AsyncIterable<Part>,
    transfer: { signal: AbortSignal; expectedBytes?: number }
  ): Promise<string[]> {
    const { origin, bucket } = this.#target
    try {
      for await (const { filename, bytes } of parts) {
        if (filename !== undefined) await this.#take(filename, bytes, transfer)
      }
      return await keepFiles(origin, bucket.id, this.#arrived)
    } catch (error) {
      await this.#undo()
      throw await this.#meaningOf(error)
    } finally {
      heartbeat.forget(this.#claims.map(({ id }) => id))
    }
  }

  async #take(
    path: string,
    bytes: AsyncIterable<Uint8Array>,
    { signal, expectedBytes }: { signal: AbortSignal; expectedBytes?: number }
  ): Promise<void> {
    const { bucket, store } = this.#target
    const { maxBytes, maxFiles } = this.#limits
    if (maxFiles > 0 && this.#claims.length >= maxFiles) {
      throw new PayloadTooLarge(`An upload may have at most ${maxFiles} files`)
    }
    requirePath(path)
    const claim = await claimPath({
      bucketId: bucket.id,
      region: bucket.region,
      path,
      heldForMs: HELD_MS,
    })
    this.#claims.push(claim)
    heartbeat.keep(claim.id)
    const options = { maxBytes, signal, expectedBytes }
    const stored = await storeUpload(store, claim.address, bytes, options)
    this.#arrived.push({ claim, ...stored })
  }

  /** What cannot be removed now, the sweep finds: an object without a file and without a claim. */
  async #undo(): Promise<void> {
    const { store } = this.#target
    for (const { claim } of this.#arrived) await store.delete(claim.address).catch(() => {})
    if (this.#claims.length > 0) {
      await releaseClaims(this.#claims.map(({ id }) => id)).catch(() => {})
    }
  }

  /** A store that lost the bucket's place may have done so because the bucket is no more. */
  async #meaningOf(error: unknown): Promise<unknown> {
    const hasLostPlace = error instanceof ContainerMissing
    if (!hasLostPlace && !(error instanceof PutInterrupted)) return error
    const { id, region } = await buckets().find(this.#target.bucket.id)
    if (!hasLostPlace) return error
    await restorePlace(id, region)
    return new PlaceRestored(error)
  }
}

function requirePath(path: string): void {
  const problem = pathProblem(path)
  if (problem === undefined) return
  const message = `The path ${JSON.stringify(path.slice(0, 100))} ${problem}`
  throw new BadRequest('A file cannot be stored under its path', {
    issues: [issue('value_invalid', ['path'], message)],
  })
}
