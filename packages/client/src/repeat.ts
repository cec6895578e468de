import { Refused } from './failures.js'
import { pause, pauseAfter, type Pauses } from './pause.js'

export interface RepeatOptions {
  readonly signal: AbortSignal
  /** Whether a failure stays one, however often the request is repeated. */
  readonly isFinal: (error: unknown) => boolean
  /** After this time a failure is final. */
  readonly forMs?: number
  readonly pauses: Pauses
}

/** A server that asks for a longer pause is called again all the same. */
const LONGEST_RETRY_AFTER_MS = 60_000

/** Repeats a request with growing pauses, at least as long as the server asks for, while its failure is not final. */
export async function repeat<T>(
  request: () => Promise<T>,
  { signal, isFinal, forMs = Infinity, pauses }: RepeatOptions
): Promise<T> {
  const until = performance.now() + forMs
  for (let failures = 1; ; failures += 1) {
    signal.throwIfAborted()
    try {
      return await request()
    } catch (error) {
      const requestedMs = Math.min(retryAfterMs(error) ?? 0, LONGEST_RETRY_AFTER_MS)
      const pauseMs = Math.max(requestedMs, pauseAfter(failures, pauses))
      if (signal.aborted || isFinal(error) || performance.now() + pauseMs > until) {
        throw error
      }
      await pause(pauseMs, signal)
    }
  }
}

/** What the server asks for, also where its refusal is the cause of another failure. */
function retryAfterMs(error: unknown): number | undefined {
  if (error instanceof Refused) {
    return error.retryAfterMs
  }
  return error instanceof Error ? retryAfterMs(error.cause) : undefined
}
