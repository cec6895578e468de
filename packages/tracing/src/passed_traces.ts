import { AsyncLocalStorage } from 'node:async_hooks'

import type { Step, TraceFields, Tracing } from './spans.js'

/** W3C Trace Context, version 0, with any flags. */
const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/

export const isTraceparent = (text: string): boolean => TRACEPARENT.test(text)

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
