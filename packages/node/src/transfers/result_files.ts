import { jitteredBackoff, sleep } from '#kernel/backoff'

import { HubUnavailable } from '#node/errors'
import type { AnalysisBuckets } from './analysis_buckets.js'

const RETRY = { firstMs: 250, longestMs: 10_000 }

/** The results of an analysis. Everybody who may read the analysis can read them. */
export class ResultFiles {
  readonly #buckets: AnalysisBuckets
  readonly #signal: AbortSignal

  constructor(buckets: AnalysisBuckets, signal: AbortSignal) {
    this.#buckets = buckets
    this.#signal = signal
  }

  /** Returns when the hub has stored the file. While the hub is away, it is tried again. */
  async upload(name: string, path: string): Promise<void> {
    for (let failures = 1; ; failures += 1) {
      try {
        await this.#buckets.upload('RESULT', name, path)
        return
      } catch (error) {
        if (!(error instanceof HubUnavailable) || this.#signal.aborted) {
          throw error
        }
        await sleep(jitteredBackoff(failures, RETRY), this.#signal)
      }
    }
  }
}
