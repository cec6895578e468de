import type { Platform } from '#worker/platform/platform'

/** Undefined where there is none. */
export type Tar = AsyncIterable<Uint8Array> | undefined

interface PrefetchedTar {
  readonly bucketId: string
  readonly tar: Promise<Tar>
  readonly cancel: AbortController
}

/** As many files come by one request. */
export const MIN_FILES_FOR_TAR = 8

/** Tars of buckets. One can be asked for before it is known what should be in it: storage takes its time before it sends the first of it. */
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

  /** What was expected, once, or else what is asked for now; undefined where there is none. */
  next(bucketId: string): Promise<Tar> {
    if (this.#prefetched?.bucketId !== bucketId) {
      return this.#platform.bucket(bucketId)
    }
    const { tar } = this.#prefetched
    this.#prefetched = undefined
    return tar
  }

  /** Lets go of what was expected and not wanted. */
  release(): void {
    this.#prefetched?.cancel.abort()
    this.#prefetched = undefined
  }
}
