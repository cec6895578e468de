import type { Platform } from '#worker/platform/platform'

/** Undefined where there is none. */
export type Tar = AsyncIterable<Uint8Array> | undefined

interface Expected {
  readonly bucketId: string
  readonly tar: Promise<Tar>
  readonly giveUp: AbortController
}

/** As many files come by one request. */
export const MANY = 8

/** Tars of buckets. One can be asked for before it is known what should be in it: storage takes its time before it sends the first of it. */
export class BucketTars {
  readonly #platform: Platform
  #expected: Expected | undefined

  constructor(platform: Platform) {
    this.#platform = platform
  }

  expect(bucketId: string): void {
    this.release()
    const giveUp = new AbortController()
    const tar = this.#platform.bucket(bucketId, giveUp.signal)
    tar.catch(() => {})
    this.#expected = { bucketId, tar, giveUp }
  }

  /** What was expected, once, or else what is asked for now; undefined where there is none. */
  next(bucketId: string): Promise<Tar> {
    if (this.#expected?.bucketId !== bucketId) {
      return this.#platform.bucket(bucketId)
    }
    const { tar } = this.#expected
    this.#expected = undefined
    return tar
  }

  /** Lets go of what was expected and not wanted. */
  release(): void {
    this.#expected?.giveUp.abort()
    this.#expected = undefined
  }
}
