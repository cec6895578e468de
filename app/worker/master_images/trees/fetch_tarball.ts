import { setTimeout as delay } from 'node:timers/promises'

import { SourceUnreadable } from './source_errors.js'

const MAX_REDIRECTS = 5
const ATTEMPTS = 3
const PAUSE_MS = 1_000
const RESPONSE_TIMEOUT_MS = 30_000
const IDLE_TIMEOUT_MS = 60_000

export interface Download {
  readonly url: string
  /** Sent to the origin of the URL only, never to redirects. */
  readonly token?: string | undefined
  readonly signal: AbortSignal
}

/** Downloads an archive. Retries until the response starts; a download that breaks off fails. */
export async function* fetchTarball(
  download: Download
): AsyncGenerator<Uint8Array, void, undefined> {
  const { signal } = download
  const idle = new AbortController()
  const response = await fetchWithRetries({
    ...download,
    signal: AbortSignal.any([signal, idle.signal]),
  })
  let timer: NodeJS.Timeout | undefined
  const resetTimer = () => {
    clearTimeout(timer)
    timer = setTimeout(() => idle.abort(new Error('it stopped sending')), IDLE_TIMEOUT_MS)
  }
  try {
    resetTimer()
    for await (const chunk of response.body ?? []) {
      resetTimer()
      yield chunk
    }
  } catch (error) {
    signal.throwIfAborted()
    throw new SourceUnreadable(displayUrl(download.url), reasonOf(error), { cause: error })
  } finally {
    clearTimeout(timer)
    idle.abort()
  }
}

async function fetchWithRetries(download: Download): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await fetchFollowingRedirects(download)
    } catch (error) {
      download.signal.throwIfAborted()
      if (error instanceof SourceUnreadable || attempt === ATTEMPTS) {
        throw error instanceof SourceUnreadable
          ? error
          : new SourceUnreadable(displayUrl(download.url), reasonOf(error), { cause: error })
      }
      await delay(PAUSE_MS * attempt, undefined, { signal: download.signal })
    }
  }
}

/** Follows redirects, but never from HTTPS to HTTP. */
async function fetchFollowingRedirects({ url, token, signal }: Download): Promise<Response> {
  const first = new URL(url)
  let at = first
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await fetchOnce(at, at.origin === first.origin ? token : undefined, signal)
    const to = response.headers.get('location')
    if (response.status < 300 || response.status > 399 || to === null) {
      return requireSuccess(url, response)
    }
    await response.body?.cancel()
    at = new URL(to, at)
    if (at.protocol !== 'https:' && at.protocol !== first.protocol) {
      throw new SourceUnreadable(displayUrl(url), `it redirects to ${at.protocol}//${at.host}`)
    }
  }
  throw new SourceUnreadable(displayUrl(url), 'it leads from one address to the next')
}

async function fetchOnce(
  url: URL,
  token: string | undefined,
  signal: AbortSignal
): Promise<Response> {
  const timeout = new AbortController()
  const timer = setTimeout(
    () => timeout.abort(new Error('it did not respond in time')),
    RESPONSE_TIMEOUT_MS
  )
  try {
    return await fetch(url, {
      redirect: 'manual',
      signal: AbortSignal.any([signal, timeout.signal]),
      headers: {
        'user-agent': 'analysis-hub',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
    })
  } finally {
    clearTimeout(timer)
  }
}

async function requireSuccess(url: string, response: Response): Promise<Response> {
  const { status } = response
  if (status === 200) {
    return response
  }
  await response.body?.cancel()
  if (status === 429 || status >= 500) {
    throw new Error(`it responded with status ${status}`)
  }
  throw new SourceUnreadable(displayUrl(url), `it responded with status ${status}`)
}

/** The URL without its query, which may contain a secret. */
export function displayUrl(url: string): string {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error
  return cause instanceof Error ? cause.message || message : message
}
