import { RegistryUnavailable } from '#oci/errors'

/** Aborts the delivery to one node if it makes no progress, so that the other results are reported. */
export class StallTimeout {
  readonly signal: AbortSignal
  readonly #timer: NodeJS.Timeout

  constructor(signal: AbortSignal, limitMs: number, what: string) {
    const stalled = new AbortController()
    const seconds = Math.ceil(limitMs / 1000)
    this.#timer = setTimeout(
      () =>
        stalled.abort(new RegistryUnavailable(`No progress with ${what} for ${seconds} seconds`)),
      limitMs
    )
    this.signal = AbortSignal.any([signal, stalled.signal])
  }

  /** Restarts the timeout. */
  refresh(): void {
    this.#timer.refresh()
  }

  clear(): void {
    clearTimeout(this.#timer)
  }
}
