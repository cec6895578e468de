import { ownFetch, type RemoteSurface, type OwnFetchOptions } from './own_fetch.js'

const TIMEOUT_MS = 3_000

export interface OwnResponse {
  readonly status: number
  readonly text: string
}

export interface OwnRequestOptions extends Pick<OwnFetchOptions, 'method'> {
  readonly body?: object
  readonly limitMs?: number
}

/** Sends a request to a surface of another process as the platform. */
export async function ownRequest(
  surface: RemoteSurface,
  path: string,
  { body, limitMs = TIMEOUT_MS, ...options }: OwnRequestOptions = {}
): Promise<OwnResponse> {
  const response = await ownFetch(surface, path, {
    ...options,
    headers: { accept: 'application/json', ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
    signal: () => AbortSignal.timeout(limitMs),
  })
  return { status: response.status, text: await response.text() }
}
