import { setTimeout as delay } from 'node:timers/promises'

import { traceHeaders } from '#tracing/tracing'
import { jitteredBackoff, type BackoffPolicy } from '#kernel/backoff'
import {
  isPlatformUnavailable,
  PlatformUnavailable,
  PlatformRequestRejected,
} from './platform_errors.js'
import { reasonOf, type WorkerToken } from './worker_token.js'

const RETRY_PAUSES: BackoffPolicy = { firstMs: 200, longestMs: 10_000 }
const TIMEOUT_MS = 30_000

export interface Service {
  readonly name: 'Core' | 'Storage'
  /** Evaluated per request: a process that serves itself learns its port late. */
  readonly url: () => string
}

/** Options for requests to the platform. */
export interface RequestOptions {
  readonly token: Pick<WorkerToken, 'get' | 'discard'>
  /** How long requests are retried while the platform is unavailable. */
  readonly retryForMs: number
}

interface PlatformRequest {
  readonly service: Service
  readonly path: string
  readonly query?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  /** Applies the timeout to the start of the response only. */
  readonly isStream?: boolean
}

/**
 * Sends a request; returns undefined for 404. Retries while the platform is unavailable, and renews a rejected token
 * once.
 */
export async function request(
  options: RequestOptions,
  query: PlatformRequest
): Promise<Response | undefined> {
  const until = performance.now() + options.retryForMs
  for (let failures = 1; ; failures++) {
    try {
      return await attempt(options, query)
    } catch (error) {
      const pauseMs = jitteredBackoff(failures, RETRY_PAUSES)
      query.signal.throwIfAborted()
      if (!isPlatformUnavailable(error) || performance.now() + pauseMs > until) {
        throw error
      }
      await delay(pauseMs, undefined, { signal: query.signal })
    }
  }
}

async function attempt(
  { token }: RequestOptions,
  query: PlatformRequest
): Promise<Response | undefined> {
  const accessToken = await token.get()
  let response = await send(query, accessToken)
  if (response.status === 401) {
    await response.body?.cancel()
    token.discard(accessToken)
    response = await send(query, await token.get())
  }
  return requireSuccess(query, response)
}

async function send(platformRequest: PlatformRequest, token: string): Promise<Response> {
  const { service, path, query, headers, signal, isStream } = platformRequest
  const url = `${service.url()}${path}${query ? `?${query}` : ''}`
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(new Error('it did not respond in time')), TIMEOUT_MS)
  try {
    const response = await fetch(url, {
      headers: {
        accept: 'application/json',
        ...headers,
        ...traceHeaders(),
        authorization: `Bearer ${token}`,
      },
      redirect: 'manual',
      signal: isStream
        ? AbortSignal.any([signal, limit.signal])
        : AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    })
    return response
  } catch (error) {
    signal.throwIfAborted()
    throw new PlatformUnavailable(service.name, reasonOf(error), { cause: error })
  } finally {
    clearTimeout(timer)
  }
}

async function requireSuccess(
  { service, path }: PlatformRequest,
  response: Response
): Promise<Response | undefined> {
  const { status } = response
  if (status === 200 || status === 206) {
    return response
  }
  await response.body?.cancel()
  if (status === 404) {
    return undefined
  }
  if (status === 429 || status >= 500) {
    throw new PlatformUnavailable(service.name, `it responded with status ${status}`)
  }
  const [, collection = ''] = path.split('/')
  throw new PlatformRequestRejected(
    `Reading ${collection} of ${service.name.toLowerCase()}`,
    status
  )
}
