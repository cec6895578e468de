import { RegistryUnavailable } from '#oci/errors'

/** Ends work on one node where nothing comes and nothing goes any more, so that the others are told what became of them. */
export class StallTimeout {
  readonly signal: AbortSignal
  readonly #timer: NodeJS.Timeout

  constructor(signal: AbortSignal, limitMs: number, what: string) {
    const stalled = new AbortController()
    const seconds = Math.ceil(limitMs / 1000)
    this.#timer = setTimeout(
      () =>
        stalled.abort(
          new RegistryUnavailable(`Nothing went on with ${what} for ${seconds} seconds`)
        ),
      limitMs
    )
    this.signal = AbortSignal.any([signal, stalled.signal])
  }

  /** Something went on. */
  refresh(): void {
    this.#timer.refresh()
  }

  clear(): void {
    clearTimeout(this.#timer)
  }
}
