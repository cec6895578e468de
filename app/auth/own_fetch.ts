import type { IdentityProvider } from './provider.js'

/** Where another surface is, and who vouches for us there. */
export interface Elsewhere {
  readonly url: string
  readonly provider: Pick<IdentityProvider, 'ownToken' | 'introspect'>
}

export interface OwnCall {
  readonly method?: 'GET' | 'POST' | 'DELETE'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Asked for with each attempt: how long it takes to get a token is no part of a limit. */
  readonly signal: () => AbortSignal
}

/** Calls a surface of another process in the platform's own name: once more, with another token, where one is refused. */
export async function ownFetch(
  { url, provider }: Elsewhere,
  path: string,
  call: OwnCall
): Promise<Response> {
  const token = await provider.ownToken()
  const response = await called(url + path, token, call)
  if (response.status !== 401) {
    return response
  }
  await response.body?.cancel()
  // Asked about a token it does not stand by any more, a provider has another one.
  await provider.introspect(token)
  return called(url + path, await provider.ownToken(), call)
}

function called(
  url: string,
  token: string,
  { headers, signal, ...request }: OwnCall
): Promise<Response> {
  return fetch(url, {
    ...request,
    headers: { ...headers, authorization: `Bearer ${token}` },
    redirect: 'manual',
    signal: signal(),
  })
}
