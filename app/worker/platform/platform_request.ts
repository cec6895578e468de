import type { Credentials } from '#client/credentials'
import { Refused } from '#client/failures'
import { repeat } from '#client/repeat'
import { Transport } from '#client/transport'
import { traceHeaders } from '#tracing/tracing'
import { JobFailure } from '#worker/job_failure'
import {
  isPlatformUnavailable,
  PlatformUnavailable,
  PlatformRequestRejected,
  reasonOf,
} from './platform_errors.js'

const PAUSES = { firstMs: 200, longestMs: 10_000 }
const TIMEOUT_MS = 30_000

export interface Service {
  readonly name: 'Core' | 'Storage'
  /** Evaluated per request: a process that serves itself learns its port late. */
  readonly url: () => string
}

/** Options for requests to the platform. */
export interface RequestOptions {
  readonly credentials: Credentials
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
export function request(
  { credentials, retryForMs }: RequestOptions,
  query: PlatformRequest
): Promise<Response | undefined> {
  const transport = new Transport({ credentials, headers: traceHeaders, timeoutMs: TIMEOUT_MS })
  return repeat(async () => requireSuccess(query, await send(transport, query)), {
    signal: query.signal,
    isFinal: (error) => !isPlatformUnavailable(error),
    forMs: retryForMs,
    pauses: PAUSES,
  })
}

async function send(transport: Transport, platformRequest: PlatformRequest): Promise<Response> {
  const { service, path, query, headers, signal, isStream } = platformRequest
  const url = `${service.url()}${path}${query ? `?${query}` : ''}`
  const limit = isStream ? {} : { answerMs: TIMEOUT_MS }
  try {
    return await transport.send(url, { ...limit, headers: headers ?? {}, signal })
  } catch (error) {
    signal.throwIfAborted()
    throw error instanceof JobFailure
      ? error
      : new PlatformUnavailable(service.name, reasonOf(error), { cause: error })
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
    const cause = new Refused(response, {})
    throw new PlatformUnavailable(service.name, `it responded with status ${status}`, { cause })
  }
  const [, collection = ''] = path.split('/')
  throw new PlatformRequestRejected(
    `Reading ${collection} of ${service.name.toLowerCase()}`,
    status
  )
}
