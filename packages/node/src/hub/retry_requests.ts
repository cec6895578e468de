import { jitteredBackoff, sleep } from '#kernel/backoff'

import { HubUnavailable } from '#node/errors'

const POLICY = { firstMs: 250, longestMs: 10_000 }

/**
 * Repeats a request with growing pauses until it succeeds. Throws a final failure, or the last one when the signal
 * aborts.
 */
export async function retryRequests<T>(
  request: () => Promise<T>,
  isFinal: (error: unknown) => boolean,
  signal: AbortSignal
): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    signal.throwIfAborted()
    try {
      return await request()
    } catch (error) {
      if (isFinal(error) || signal.aborted) {
        throw error
      }
      await sleep(jitteredBackoff(failures, POLICY), signal)
    }
  }
}

/** Repeats a request while the hub is unavailable. */
export const retryWhileAway = <T>(request: () => Promise<T>, signal: AbortSignal): Promise<T> =>
  retryRequests(request, (error) => !(error instanceof HubUnavailable), signal)
