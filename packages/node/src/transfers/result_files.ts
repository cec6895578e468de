import { HubUnavailable } from '#node/errors'
import { retryRequests } from '#node/hub/retry_requests'
import type { AnalysisBuckets } from './analysis_buckets.js'

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
    await retryRequests(
      () => this.#buckets.upload('RESULT', name, path),
      (error) => !(error instanceof HubUnavailable),
      this.#signal
    )
  }
}
