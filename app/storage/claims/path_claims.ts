import type { BucketRow } from '#storage/buckets/bucket'
import { claimPaths, releaseClaims, type Claim } from './claims.js'
import { HELD_MS, heartbeat } from './heartbeat.js'

interface Asked {
  readonly path: string
  readonly resolve: (claim: Claim) => void
  readonly reject: (reason: unknown) => void
}

/**
 * The paths that one upload claims, and holds until it ends. Those that are asked for while a statement is under way leave
 * together in the next one: a claim is on the disk when it is answered, and a thousand syncs would be most of the work.
 */
export class PathClaims {
  readonly #bucket: BucketRow
  readonly #ids: string[] = []
  #asked: Asked[] = []
  #claiming: Promise<void> | undefined

  constructor(bucket: BucketRow) {
    this.#bucket = bucket
  }

  /** Rejects with `PathTaken` where a file or another claim has the path. */
  claim(path: string): Promise<Claim> {
    const { promise, resolve, reject } = Promise.withResolvers<Claim>()
    this.#asked.push({ path, resolve, reject })
    this.#claiming ??= this.#claimAsked()
    return promise
  }

  /** Gives all of them up. Their objects must be gone by then. */
  async release(): Promise<void> {
    await this.#claiming
    if (this.#ids.length > 0) {
      await releaseClaims(this.#ids)
    }
  }

  /** Holds none of them any longer. */
  end(): void {
    heartbeat.forget(this.#ids)
  }

  async #claimAsked(): Promise<void> {
    while (this.#asked.length > 0) {
      const asked = this.#asked
      this.#asked = []
      await this.#claimTogether(asked).catch((error) =>
        asked.forEach(({ reject }) => reject(error))
      )
    }
    this.#claiming = undefined
  }

  async #claimTogether(asked: readonly Asked[]): Promise<void> {
    const { id: bucketId, region } = this.#bucket
    const paths = asked.map(({ path }) => path)
    const ends = await claimPaths({ bucketId, region, heldForMs: HELD_MS }, paths)
    ends.forEach((end, n) => {
      if (end.status === 'rejected') {
        return asked[n]!.reject(end.reason)
      }
      this.#ids.push(end.value.id)
      heartbeat.keep(end.value.id)
      asked[n]!.resolve(end.value)
    })
  }
}
