import type { IdentityProvider } from './provider.js'

/** A surface of another process, and the provider that issues tokens for it. */
export interface RemoteSurface {
  readonly url: string
  readonly provider: Pick<IdentityProvider, 'ownToken' | 'introspect'>
}

export interface OwnFetchOptions {
  readonly method?: 'GET' | 'POST' | 'DELETE'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Called for each attempt, so that a limit does not include the time for a token. */
  readonly signal: () => AbortSignal
}

/** Calls a surface of another process as the platform. Retries once with a new token if one is rejected. */
export async function ownFetch(
  { url, provider }: RemoteSurface,
  path: string,
  call: OwnFetchOptions
): Promise<Response> {
  const token = await provider.ownToken()
  const response = await fetchWithToken(url + path, token, call)
  if (response.status !== 401) {
    return response
  }
  await response.body?.cancel()
  // Introspecting a revoked token makes the provider replace it.
  await provider.introspect(token)
  return fetchWithToken(url + path, await provider.ownToken(), call)
}

function fetchWithToken(
  url: string,
  token: string,
  { headers, signal, ...request }: OwnFetchOptions
): Promise<Response> {
  return fetch(url, {
    ...request,
    headers: { ...headers, authorization: `Bearer ${token}` },
    redirect: 'manual',
    signal: signal(),
  })
}
