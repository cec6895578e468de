import http, {
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type RequestOptions,
} from 'node:http'
import https from 'node:https'
import { setTimeout as delay } from 'node:timers/promises'

import { jitteredBackoff, type BackoffPolicy } from '#kernel/backoff'
import { IdentityUnavailable, RateLimited } from '#kernel/failures'

const TIMEOUT_MS = 3_000
/** How long requests that the provider limits are retried, in addition to the time of its responses. */
export const MAX_RETRY_WAIT_MS = 10_000
const RETRY_BACKOFF: BackoffPolicy = { firstMs: 250, longestMs: 2_000 }
const TOO_MANY_REQUESTS = 429
/** The pause that is reported to a person if the provider names none. */
const DEFAULT_RETRY_SECONDS = 10
const MAX_REDIRECTS = 3
const REDIRECT_STATUSES: readonly number[] = [301, 302, 303, 307, 308]

export interface ProviderRequest {
  readonly method?: 'GET' | 'POST' | 'DELETE'
  /** Sent form-encoded, as OAuth requires. */
  readonly form?: Readonly<Record<string, string>>
  readonly json?: unknown
  readonly authorization?: string
  /** The statuses to return. Any other counts as an unavailable provider. */
  readonly expected?: readonly number[]
  /**
   * The address of the person that the request is made for, so that limits count that person and not this process. A
   * person who exceeds one gets an error at once.
   */
  readonly onBehalfOf?: string
}

export interface ProviderResponse {
  readonly status: number
  /** The parsed JSON; undefined without a body. */
  readonly body: any
}

/**
 * Sends a request to an identity provider. Anything but a proper response in time throws `IdentityUnavailable`, whose
 * cause describes the failure for the log without the data sent. Only requests without credentials and side effects
 * follow redirects, within the same origin.
 */
export async function sendRequest(
  url: string,
  providerRequest: ProviderRequest = {}
): Promise<ProviderResponse> {
  const { expected = [200], onBehalfOf } = providerRequest
  return exchange(
    url,
    providerRequest,
    mayFollowRedirects(providerRequest),
    (status, text, headers) => {
      if (status === TOO_MANY_REQUESTS && onBehalfOf !== undefined) {
        throw new RateLimited(retryAfterOf(headers) ?? DEFAULT_RETRY_SECONDS)
      }
      if (!expected.includes(status)) {
        throw new Error(`it answered with the status ${status}${hint(status)}`)
      }
      return { status, body: text === '' || status === 401 ? undefined : parseJson(text) }
    }
  )
}

function mayFollowRedirects({ method = 'GET', authorization }: ProviderRequest): boolean {
  return method === 'GET' && authorization === undefined
}

/** Reads an address, whatever its response is. */
export function probe(url: string): Promise<{ status: number; text: string }> {
  return exchange(url, {}, false, (status, text) => {
    if (status >= 500) {
      throw new Error(`it answered with the status ${status}`)
    }
    return { status, text }
  })
}

async function exchange<Result>(
  url: string,
  { method = 'GET', ...providerRequest }: ProviderRequest,
  follow: boolean,
  read: (status: number, text: string, headers: IncomingHttpHeaders) => Result
): Promise<Result> {
  try {
    const fetchOnce = () => fetchResponse(url, { ...providerRequest, method }, follow)
    const isForPerson = providerRequest.onBehalfOf !== undefined
    const { status, text, headers } = await (isForPerson
      ? fetchOnce()
      : retryWhenLimited(fetchOnce))
    return read(status, text, headers)
  } catch (error) {
    if (error instanceof RateLimited) {
      throw error
    }
    const cause = new Error(`${method} ${url} at the identity provider failed: ${reasonOf(error)}`)
    throw new IdentityUnavailable(undefined, { cause })
  }
}

interface RawResponse {
  readonly status: number
  readonly text: string
  readonly headers: IncomingHttpHeaders
}

/** Retries a request that the provider rejects because of a rate limit, within a time limit. */
async function retryWhenLimited(send: () => Promise<RawResponse>): Promise<RawResponse> {
  const deadline = performance.now() + MAX_RETRY_WAIT_MS
  for (let attempt = 1; ; attempt++) {
    const answer = await send()
    const seconds = retryAfterOf(answer.headers)
    const pauseMs =
      seconds === undefined ? jitteredBackoff(attempt, RETRY_BACKOFF) : seconds * 1_000
    if (answer.status !== TOO_MANY_REQUESTS || performance.now() + pauseMs > deadline) {
      return answer
    }
    await delay(pauseMs)
  }
}

async function fetchResponse(
  url: string,
  providerRequest: ProviderRequest,
  follow: boolean
): Promise<RawResponse> {
  const deadline = performance.now() + TIMEOUT_MS
  const send = (address: string) => sendWithReconnect(address, providerRequest, deadline)
  return follow ? followRedirects(url, send) : send(url)
}

/** The seconds to wait. A date is not accepted: it would depend on the clock of the provider. */
function retryAfterOf(headers: IncomingHttpHeaders): number | undefined {
  const seconds = headers['retry-after'] ?? headers['ratelimit-reset']
  return typeof seconds === 'string' && /^\d+$/.test(seconds) ? Number(seconds) : undefined
}

/** The final response. Redirects to other origins are rejected. */
async function followRedirects(
  url: string,
  send: (address: string) => Promise<RawResponse>
): Promise<RawResponse> {
  let address = url
  for (let redirects = 0; ; redirects++) {
    const answer = await send(address)
    const { location } = answer.headers
    if (!REDIRECT_STATUSES.includes(answer.status) || location === undefined) {
      return answer
    }
    address = nextAddress(address, location)
    if (redirects === MAX_REDIRECTS) {
      throw new Error(`it redirects more than ${MAX_REDIRECTS} times`)
    }
  }
}

function nextAddress(address: string, location: string): string {
  const next = URL.canParse(location, address) ? new URL(location, address) : undefined
  if (next?.origin !== new URL(address).origin) {
    const where = next ? `to ${next.origin}` : 'to nowhere'
    throw new Error(`it redirects ${where}: set IDENTITY_URL to the final address`)
  }
  return next.href
}

/** Retries once on a new connection, since the server may have closed a kept-alive one. */
async function sendWithReconnect(
  url: string,
  providerRequest: ProviderRequest,
  deadline: number
): Promise<RawResponse> {
  try {
    return await sendOnce(url, providerRequest, deadline)
  } catch (error) {
    if (error instanceof StaleConnection) {
      return sendOnce(url, providerRequest, deadline, { agent: false })
    }
    throw error
  }
}

/** Uses the global agents by default, which keep connections alive and use the proxy of the environment. */
function sendOnce(
  url: string,
  providerRequest: ProviderRequest,
  deadline: number,
  options: RequestOptions = {}
): Promise<RawResponse> {
  const headers = headersOf(providerRequest)
  const { promise, resolve, reject } = Promise.withResolvers<RawResponse>()
  const { request } = url.startsWith('https:') ? https : http
  const clientRequest = request(url, { ...options, method: providerRequest.method, headers })
  const timer = setTimeout(() => {
    reject(new Error(`no response within ${TIMEOUT_MS} ms`))
    clientRequest.destroy()
  }, deadline - performance.now())
  clientRequest.once('error', (error) =>
    reject(clientRequest.reusedSocket && isStale(error) ? new StaleConnection() : error)
  )
  clientRequest.once('response', (response) => {
    response.setEncoding('utf8')
    let text = ''
    response.on('data', (chunk: string) => (text += chunk))
    response.once('error', reject)
    response.once('end', () => {
      resolve({ status: response.statusCode!, text, headers: response.headers })
    })
  })
  clientRequest.end(bodyOf(providerRequest))
  return promise.finally(() => clearTimeout(timer))
}

function headersOf({
  authorization,
  form,
  json,
  onBehalfOf,
}: ProviderRequest): OutgoingHttpHeaders {
  return {
    accept: 'application/json',
    ...(authorization !== undefined && { authorization }),
    ...(onBehalfOf !== undefined && { 'x-forwarded-for': onBehalfOf }),
    ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
    ...(json !== undefined && { 'content-type': 'application/json' }),
  }
}

function bodyOf({ form, json }: ProviderRequest): string | undefined {
  return form ? new URLSearchParams(form).toString() : JSON.stringify(json)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error('the response is not JSON')
  }
}

function hint(status: number): string {
  return status === 401 || status === 403
    ? '; check CLIENT_ID, CLIENT_SECRET, REALM, IDENTITY_INTROSPECTION_AUTH and the permissions of that client'
    : ''
}

const isStale = ({ code }: NodeJS.ErrnoException) => code === 'ECONNRESET' || code === 'EPIPE'

class StaleConnection extends Error {}

/** Errors for several addresses have a code but no message. */
function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  return code ?? message
}
