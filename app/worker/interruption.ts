import type { Delivery } from '#bus/bus'
import { JobFailure } from './job_failure.js'

const CHECK_EVERY_MS = 500

interface InterruptionOptions {
  readonly delivery: Pick<Delivery, 'isLost'>
  readonly limitMs: number
  /** Aborted when the process must end. */
  readonly ending: AbortSignal
}

/**
 * Ends a job early: by timeout, after which it has failed, or because the command was lost or released, after which
 * another worker does it.
 */
export class Interruption {
  /** Aborted when the command is released. No events may be published afterwards. */
  readonly released: AbortSignal
  /** Aborted when the job must stop. */
  readonly signal: AbortSignal
  readonly #over = new AbortController()
  readonly #timer: NodeJS.Timeout
  readonly #check: NodeJS.Timeout

  constructor({ delivery, limitMs, ending }: InterruptionOptions) {
    const lost = new AbortController()
    const late = new AbortController()
    const seconds = Math.round(limitMs / 1000)
    this.#timer = setTimeout(
      () =>
        late.abort(
          new JobFailure('timeExceeded', `The job did not finish within ${seconds} seconds`)
        ),
      limitMs
    )
    this.#check = setInterval(() => delivery.isLost && lost.abort(), CHECK_EVERY_MS)
    this.released = AbortSignal.any([ending, lost.signal])
    this.signal = AbortSignal.any([this.released, late.signal, this.#over.signal])
  }

  /** The reason of failure: the timeout if it expired, otherwise the error. */
  causeOf(error: unknown): unknown {
    const { reason } = this.signal
    return reason instanceof JobFailure ? reason : error
  }

  /** Aborts whatever the job left running. */
  end(): void {
    this.#over.abort()
    clearTimeout(this.#timer)
    clearInterval(this.#check)
  }
}
