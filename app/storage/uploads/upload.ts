import app from '@adonisjs/core/services/app'

import { BadRequest, PayloadTooLarge, ServiceUnavailable } from '#kernel/failures'
import { issue } from '#kernel/issues'
import { oncePer } from '#kernel/once_per'
import type { Origin } from '#kernel/origin'
import type { BucketRow } from '#storage/buckets/bucket'
import { BucketService } from '#storage/buckets/bucket_service'
import { createFiles, type UploadedFile } from '#storage/claims/create_files'
import type { Heartbeat } from '#storage/claims/heartbeat'
import { PathClaims } from '#storage/claims/path_claims'
import { ContainerMissing, PutInterrupted } from '#storage/objects/errors'
import { interruptible } from '#storage/objects/interruptible'
import type { ObjectStore } from '#storage/objects/object_store'
import { pathProblem } from '#storage/bucket_files/file_path'
import { restoreLocation } from '#storage/objects/bucket_locations'
import { BufferedFile, BufferBudget } from './buffered_file.js'
import type { Part } from './multipart.js'
import { storeBuffered } from './store_upload.js'
import { TaskGroup } from './task_group.js'

export interface UploadLimits {
  /** The maximum size of a file and number of files; 0 means no limit. */
  readonly maxBytes: number
  readonly maxFiles: number
}

interface UploadTarget {
  readonly origin: Origin
  readonly bucket: BucketRow
  readonly store: ObjectStore
  /** Renews the claims of the upload. */
  readonly heartbeat: Heartbeat
}

/** The store had lost the location of the bucket, which was created again. */
class LocationRestored extends ServiceUnavailable {
  constructor(cause: unknown) {
    super('The object store had lost the bucket, which was created again; send the files again', {
      cause,
    })
  }
}

/** How many files of an upload are claimed or stored while the next one is read. */
const CONCURRENT_FILES = 16

/** What uploads to a store may buffer together. */
const budgetOf = oncePer((_store: ObjectStore) => new BufferBudget(32 * 1024 ** 2))

/** Stores the files of one request in a bucket: all of them, or none. */
export class Upload {
  readonly #target: UploadTarget
  readonly #limits: UploadLimits
  readonly #claims: PathClaims
  /** The files in the order of the request; undefined until a file is stored. */
  readonly #files: (UploadedFile | undefined)[] = []

  constructor(target: UploadTarget, limits: UploadLimits) {
    this.#target = target
    this.#limits = limits
    this.#claims = new PathClaims(target.bucket, target.heartbeat)
  }

  /**
   * Stores the files among the parts: small ones concurrently, large ones as they arrive. Returns their records as
   * JSON.
   */
  async run(
    parts: AsyncIterable<Part>,
    transfer: { signal: AbortSignal; expectedBytes?: number }
  ): Promise<string[]> {
    const { origin, bucket } = this.#target
    const group = new TaskGroup(CONCURRENT_FILES, transfer.signal)
    try {
      await group.run(async () => {
        for await (const { filename, bytes } of interruptible(parts, group.signal)) {
          if (filename !== undefined) {
            await this.#receive(filename, bytes, group, transfer)
          }
        }
      })
      return await createFiles(origin, bucket.id, this.#stored())
    } catch (error) {
      await this.#rollBack()
      throw await this.#failureFor(error)
    } finally {
      this.#claims.stopRenewing()
    }
  }

  /** Claims the path as soon as it is known, and stores the file after that. */
  async #receive(
    path: string,
    bytes: AsyncIterable<Uint8Array>,
    group: TaskGroup,
    { expectedBytes }: { expectedBytes?: number }
  ): Promise<void> {
    const { store } = this.#target
    const { maxBytes, maxFiles } = this.#limits
    await group.waitForSlot()
    const index = this.#files.push(undefined) - 1
    if (maxFiles > 0 && index >= maxFiles) {
      throw new PayloadTooLarge(`An upload may have at most ${maxFiles} files`)
    }
    requirePath(path)
    const claiming = this.#claims.claim(path)
    claiming.catch((error) => group.fail(error))
    const buffered = await BufferedFile.from(interruptible(bytes, group.signal), budgetOf(store))
    const options = { maxBytes, expectedBytes, signal: group.signal }
    const storing = group.start(async () => {
      try {
        const claim = await claiming
        this.#files[index] = {
          claim,
          ...(await storeBuffered(store, claim.address, buffered, options)),
        }
      } finally {
        buffered.release()
      }
    })
    if (!buffered.isWhole) {
      await storing
    }
  }

  #stored(): UploadedFile[] {
    return this.#files.filter((file) => file !== undefined)
  }

  /** The sweep removes what fails here: objects without a file and claim. */
  async #rollBack(): Promise<void> {
    const { store } = this.#target
    for (const { claim } of this.#stored()) {
      await store.delete(claim.address).catch(() => {})
    }
    await this.#claims.release().catch(() => {})
  }

  /** The location may be missing because the bucket was deleted. */
  async #failureFor(error: unknown): Promise<unknown> {
    const hasLostLocation = error instanceof ContainerMissing
    if (!hasLostLocation && !(error instanceof PutInterrupted)) {
      return error
    }
    const buckets = await app.container.make(BucketService)
    const { id, region } = await buckets.find(this.#target.bucket.id)
    if (!hasLostLocation) {
      return error
    }
    await restoreLocation(id, region)
    return new LocationRestored(error)
  }
}

function requirePath(path: string): void {
  const problem = pathProblem(path)
  if (problem === undefined) {
    return
  }
  const message = `The path ${JSON.stringify(path.slice(0, 100))} ${problem}`
  throw new BadRequest('A file cannot be stored under its path', {
    issues: [issue('value_invalid', ['path'], message)],
  })
}
