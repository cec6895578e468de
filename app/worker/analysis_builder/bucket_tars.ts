import type { Platform } from '#worker/platform/platform'

/** Undefined if the bucket or the endpoint does not exist. */
export type Tar = AsyncIterable<Uint8Array> | undefined

interface PrefetchedTar {
  readonly bucketId: string
  readonly tar: Promise<Tar>
  readonly cancel: AbortController
}

/** From this number of files on, they are read with one request. */
export const MIN_FILES_FOR_TAR = 8

/** Tars of buckets. Can be requested before their files are known, because storage takes time to start the stream. */
export class BucketTars {
  readonly #platform: Platform
  #prefetched: PrefetchedTar | undefined

  constructor(platform: Platform) {
    this.#platform = platform
  }

  prefetch(bucketId: string): void {
    this.release()
    const cancel = new AbortController()
    const tar = this.#platform.bucket(bucketId, cancel.signal)
    tar.catch(() => {})
    this.#prefetched = { bucketId, tar, cancel }
  }

  /** The prefetched tar if there is one, otherwise a new request. */
  next(bucketId: string): Promise<Tar> {
    if (this.#prefetched?.bucketId !== bucketId) {
      return this.#platform.bucket(bucketId)
    }
    const { tar } = this.#prefetched
    this.#prefetched = undefined
    return tar
  }

  /** Cancels an unused prefetch. */
  release(): void {
    this.#prefetched?.cancel.abort()
    this.#prefetched = undefined
  }
}
