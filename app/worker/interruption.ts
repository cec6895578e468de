import type { Delivery } from '#bus/bus'
import { JobFailure } from './job_failure.js'

const CHECK_EVERY_MS = 500

interface InterruptionOptions {
  readonly delivery: Pick<Delivery, 'isLost'>
  readonly limitMs: number
  /** Aborts where the process has no more time for it. */
  readonly ending: AbortSignal
}

/**
 * What may end a job before it is over: its time, or that the command is not ours any more. After its time it has failed; a command
 * that was taken back, or is given back by a process that ends, is done by somebody else.
 */
export class Interruption {
  /** The command is put down, and nothing is told of it any more. */
  readonly released: AbortSignal
  /** The work has to end. */
  readonly signal: AbortSignal
  readonly #over = new AbortController()
  readonly #timer: NodeJS.Timeout
  readonly #check: NodeJS.Timeout

  constructor({ delivery, limitMs, ending }: InterruptionOptions) {
    const lost = new AbortController()
    const late = new AbortController()
    const seconds = Math.round(limitMs / 1000)
    this.#timer = setTimeout(
      () => late.abort(new JobFailure('timeExceeded', `It was not done within ${seconds} seconds`)),
      limitMs
    )
    this.#check = setInterval(() => delivery.isLost && lost.abort(), CHECK_EVERY_MS)
    this.released = AbortSignal.any([ending, lost.signal])
    this.signal = AbortSignal.any([this.released, late.signal, this.#over.signal])
  }

  /** Why it failed: that its time was up, whatever that made fail, or else what was thrown. */
  causeOf(error: unknown): unknown {
    const { reason } = this.signal
    return reason instanceof JobFailure ? reason : error
  }

  /** Whatever still flows for the job is broken off. */
  end(): void {
    this.#over.abort()
    clearTimeout(this.#timer)
    clearInterval(this.#check)
  }
}
