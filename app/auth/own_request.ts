import type { IdentityProvider } from './provider.js'

const LIMIT_MS = 3_000

/** Where another surface is, and who vouches for us there. */
export interface Elsewhere {
  readonly url: string
  readonly provider: Pick<IdentityProvider, 'ownToken' | 'introspect'>
}

export interface OwnAnswer {
  readonly status: number
  readonly text: string
}

/** Asks a surface of another process in the platform's own name. */
export async function ownRequest({ url, provider }: Elsewhere, path: string): Promise<OwnAnswer> {
  const token = await provider.ownToken()
  const answer = await sent(url + path, token)
  if (answer.status !== 401) {
    return answer
  }
  // Asked about a token it does not stand by any more, a provider has another one.
  await provider.introspect(token)
  return sent(url + path, await provider.ownToken())
}

async function sent(url: string, token: string): Promise<OwnAnswer> {
  const response = await fetch(url, {
    headers: { accept: 'application/json', authorization: `Bearer ${token}` },
    redirect: 'manual',
    signal: AbortSignal.timeout(LIMIT_MS),
  })
  return { status: response.status, text: await response.text() }
}
