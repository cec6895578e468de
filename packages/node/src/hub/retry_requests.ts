import { repeat } from '#client/repeat'
import { HubUnavailable } from '#node/errors'

const PAUSES = { firstMs: 250, longestMs: 10_000 }

/**
 * Repeats a request with growing pauses until it succeeds. Throws a final failure, or the last one when the signal
 * aborts.
 */
export const retryRequests = <T>(
  request: () => Promise<T>,
  isFinal: (error: unknown) => boolean,
  signal: AbortSignal
): Promise<T> => repeat(request, { signal, isFinal, pauses: PAUSES })

/** Repeats a request while the hub is unavailable. */
export const retryWhileAway = <T>(request: () => Promise<T>, signal: AbortSignal): Promise<T> =>
  retryRequests(request, (error) => !(error instanceof HubUnavailable), signal)
