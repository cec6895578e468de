import { stat } from 'node:fs/promises'

import type { RunTrace } from '#node/analyses/run_trace'
import { HubRefusal, HubUnavailable } from '#node/errors'
import { retryWhileAway } from '#node/hub/retry_requests'
import type { AnalysisBuckets } from './analysis_buckets.js'

/** The results of an analysis, readable for everybody who may read the analysis. */
export class ResultFiles {
  readonly #buckets: AnalysisBuckets
  readonly #trace: RunTrace
  readonly #signal: AbortSignal

  constructor(buckets: AnalysisBuckets, trace: RunTrace, signal: AbortSignal) {
    this.#buckets = buckets
    this.#trace = trace
    this.#signal = signal
  }

  /** Returns when the hub has stored the file. Repeats the upload while the hub is unavailable. */
  upload(name: string, path: string): Promise<void> {
    return this.#trace.step('Upload a result', () => this.#upload(name, path))
  }

  async #upload(name: string, path: string): Promise<void> {
    let mayHaveArrived = false
    await retryWhileAway(async () => {
      try {
        await this.#buckets.upload('RESULT', name, path)
      } catch (error) {
        if (mayHaveArrived && (await this.#isStored(error, name, path))) {
          return
        }
        mayHaveArrived ||= error instanceof HubUnavailable
        throw error
      }
    }, this.#signal)
  }

  /** Whether a refusal means that a former attempt without a response has stored the file. */
  async #isStored(error: unknown, name: string, path: string): Promise<boolean> {
    if (!(error instanceof HubRefusal) || error.status !== 409) {
      return false
    }
    const [stored, { size }] = await Promise.all([this.#buckets.sizeOf('RESULT', name), stat(path)])
    return stored === size
  }
}
