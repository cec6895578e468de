import { followEvents } from '#client/events'
import type { SurfaceName } from '#configuration/surfaces'
import { EXIT } from '#hubctl/exit_codes'
import { Problem } from '#hubctl/problem'
import type { Api } from './api.js'

const PAUSES = { firstMs: 2_000, longestMs: 2_000 }

/** Yields records as they arrive. A stream that ends is resumed after the last event. */
export async function* tailRecords<T>(
  api: Api,
  service: SurfaceName,
  path: string,
  query: URLSearchParams
): AsyncGenerator<T> {
  const open = (headers: Readonly<Record<string, string>>) =>
    api.open(service, path, { query, headers })
  const { signal } = new AbortController()
  for await (const { data } of followEvents(open, { signal, isFinal, pauses: PAUSES })) {
    yield JSON.parse(data) as T
  }
}

/** A lost connection is made again, and a platform that was there is waited for. */
function isFinal(error: unknown, lastId: string | undefined): boolean {
  const isAway = error instanceof Problem && error.exitCode === EXIT.unreachable
  return !(error instanceof TypeError) && !(isAway && lastId !== undefined)
}
