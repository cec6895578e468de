import type { BucketRow } from '#storage/buckets/bucket'
import { claimPaths, releaseClaims, type Claim } from './claims.js'
import { CLAIM_TTL_MS, type Heartbeat } from './heartbeat.js'

interface PendingClaim {
  readonly path: string
  readonly resolve: (claim: Claim) => void
  readonly reject: (reason: unknown) => void
}

/**
 * The path claims of one upload. Claims that are requested while a statement runs share the next one, because each
 * commit waits for the disk.
 */
export class PathClaims {
  readonly #bucket: BucketRow
  readonly #heartbeat: Heartbeat
  readonly #ids: string[] = []
  #pending: PendingClaim[] = []
  #claiming: Promise<void> | undefined

  constructor(bucket: BucketRow, heartbeat: Heartbeat) {
    this.#bucket = bucket
    this.#heartbeat = heartbeat
  }

  /** Rejects with `PathTaken` if a file or another claim has the path. */
  claim(path: string): Promise<Claim> {
    const { promise, resolve, reject } = Promise.withResolvers<Claim>()
    this.#pending.push({ path, resolve, reject })
    this.#claiming ??= this.#claimPending()
    return promise
  }

  /** Releases all claims. Remove their objects first. */
  async release(): Promise<void> {
    await this.#claiming
    if (this.#ids.length > 0) {
      await releaseClaims(this.#ids)
    }
  }

  /** Stops the renewal of the claims. */
  stopRenewing(): void {
    this.#heartbeat.remove(this.#ids)
  }

  async #claimPending(): Promise<void> {
    while (this.#pending.length > 0) {
      const batch = this.#pending
      this.#pending = []
      await this.#claimBatch(batch).catch((error) => batch.forEach(({ reject }) => reject(error)))
    }
    this.#claiming = undefined
  }

  async #claimBatch(batch: readonly PendingClaim[]): Promise<void> {
    const { id: bucketId, region } = this.#bucket
    const paths = batch.map(({ path }) => path)
    const results = await claimPaths({ bucketId, region, ttlMs: CLAIM_TTL_MS }, paths)
    results.forEach((result, n) => {
      if (result.status === 'rejected') {
        return batch[n]!.reject(result.reason)
      }
      this.#ids.push(result.value.id)
      this.#heartbeat.add(result.value.id)
      batch[n]!.resolve(result.value)
    })
  }
}
