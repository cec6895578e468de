import type { IdentityProvider } from './provider.js'

/** Where another surface is, and who vouches for us there. */
export interface RemoteSurface {
  readonly url: string
  readonly provider: Pick<IdentityProvider, 'ownToken' | 'introspect'>
}

export interface OwnFetchOptions {
  readonly method?: 'GET' | 'POST' | 'DELETE'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Asked for with each attempt: how long it takes to get a token is no part of a limit. */
  readonly signal: () => AbortSignal
}

/** Calls a surface of another process in the platform's own name: once more, with another token, where one is refused. */
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
  // Asked about a token it does not stand by any more, a provider has another one.
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
