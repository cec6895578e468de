import { setTimeout as delay } from 'node:timers/promises'

import { SourceUnreadable } from './tree_refused.js'

const MOST_REDIRECTS = 5
const ATTEMPTS = 3
const PAUSE_MS = 1_000
const LIMIT_MS = 30_000
const SILENCE_MS = 60_000

export interface Download {
  readonly url: string
  /** Sent to the address itself, never to where it leads. */
  readonly token?: string | undefined
  readonly signal: AbortSignal
}

/** The bytes of an archive that is somewhere else. What is away is asked for again; once bytes flow, what breaks off has failed. */
export async function* fetchedBytes(
  download: Download
): AsyncGenerator<Uint8Array, void, undefined> {
  const { signal } = download
  const silence = new AbortController()
  const response = await answer({ ...download, signal: AbortSignal.any([signal, silence.signal]) })
  let timer: NodeJS.Timeout | undefined
  const heard = () => {
    clearTimeout(timer)
    timer = setTimeout(() => silence.abort(new Error('it fell silent')), SILENCE_MS)
  }
  try {
    heard()
    for await (const piece of response.body ?? []) {
      heard()
      yield piece
    }
  } catch (error) {
    signal.throwIfAborted()
    throw new SourceUnreadable(placeOf(download.url), reasonOf(error), { cause: error })
  } finally {
    clearTimeout(timer)
    silence.abort()
  }
}

async function answer(download: Download): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await followed(download)
    } catch (error) {
      download.signal.throwIfAborted()
      if (error instanceof SourceUnreadable || attempt === ATTEMPTS) {
        throw error instanceof SourceUnreadable
          ? error
          : new SourceUnreadable(placeOf(download.url), reasonOf(error), { cause: error })
      }
      await delay(PAUSE_MS * attempt, undefined, { signal: download.signal })
    }
  }
}

/** Goes where the address leads to, but never from an encrypted connection to one that is not. */
async function followed({ url, token, signal }: Download): Promise<Response> {
  const first = new URL(url)
  let at = first
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
    const response = await begun(at, at.origin === first.origin ? token : undefined, signal)
    const to = response.headers.get('location')
    if (response.status < 300 || response.status > 399 || to === null) {
      return accepted(url, response)
    }
    await response.body?.cancel()
    at = new URL(to, at)
    if (at.protocol !== 'https:' && at.protocol !== first.protocol) {
      throw new SourceUnreadable(placeOf(url), `it leads to ${at.protocol}//${at.host}`)
    }
  }
  throw new SourceUnreadable(placeOf(url), 'it leads from one address to the next')
}

async function begun(url: URL, token: string | undefined, signal: AbortSignal): Promise<Response> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(new Error('it did not answer in time')), LIMIT_MS)
  try {
    return await fetch(url, {
      redirect: 'manual',
      signal: AbortSignal.any([signal, late.signal]),
      headers: {
        'user-agent': 'analysis-hub',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
    })
  } finally {
    clearTimeout(timer)
  }
}

async function accepted(url: string, response: Response): Promise<Response> {
  const { status } = response
  if (status === 200) {
    return response
  }
  await response.body?.cancel()
  if (status === 429 || status >= 500) {
    throw new Error(`it answered with the status ${status}`)
  }
  throw new SourceUnreadable(placeOf(url), `it answered with the status ${status}`)
}

/** What may be said of an address: what is behind the path may be a secret. */
export function placeOf(url: string): string {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error
  return cause instanceof Error ? cause.message || message : message
}
