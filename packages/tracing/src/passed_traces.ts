import { AsyncLocalStorage } from 'node:async_hooks'

import { isTraceparent } from '#kernel/is_traceparent'
import type { Step, TraceFields, Tracing } from './spans.js'

/** Records nothing: requests carry the trace that a step resumed, as it arrived. */
export class PassedTraces implements Tracing {
  readonly logFields: TraceFields = {}
  readonly #active = new AsyncLocalStorage<string | undefined>()

  measure<T>(_step: Step<T>, work: () => Promise<T>): Promise<T> {
    return work()
  }

  resume<T>(traceparent: string, _step: Step<T>, work: () => Promise<T>): Promise<T> {
    return isTraceparent(traceparent) ? this.#active.run(traceparent, work) : work()
  }

  suspend<T>(work: () => T): T {
    return this.#active.run(undefined, work)
  }

  get traceparent(): string | undefined {
    return this.#active.getStore()
  }

  async shutdown(): Promise<void> {}
}
