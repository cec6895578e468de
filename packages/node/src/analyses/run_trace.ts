import { currentTraceparent, resumeTrace, suspendTrace } from '#tracing/tracing'

import type { Assignment, RunResult } from './hub_analyses.js'

/** The maximum number of spans, since an analysis causes some of them. */
const MAX_STEPS = 200

/** The steps of one run, in the trace of the command that distributed the analysis. */
export class RunTrace {
  readonly #traceparent: string | undefined
  #steps = 0

  constructor(traceparent?: string) {
    this.#traceparent = traceparent
  }

  /** Runs work as the root span. Work within it needs spans of its own to be traced. */
  static during(
    traceparent: string | undefined,
    { analysisId, nodeId }: Assignment,
    work: (trace: RunTrace) => Promise<RunResult>
  ): Promise<RunResult> {
    const step = {
      name: 'Run the analysis',
      attributes: { 'hub.analysis_id': analysisId, 'hub.node_id': nodeId },
      attributesOf: (result: RunResult) => ({ 'hub.result': result }),
    }
    return resumeTrace(traceparent, step, () => {
      const trace = new RunTrace(currentTraceparent())
      return suspendTrace(() => work(trace))
    })
  }

  /** Runs work as a span, which its requests continue. */
  step<T>(name: string, work: () => Promise<T>): Promise<T> {
    this.#steps += 1
    return this.#steps > MAX_STEPS ? work() : resumeTrace(this.#traceparent, { name }, work)
  }
}
