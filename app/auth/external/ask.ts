import { setTimeout as delay } from 'node:timers/promises'

import { pauseAfter, type BackOff } from '#kernel/back_off'
import { IdentityUnavailable } from '#kernel/failures'

const LIMIT_MS = 3_000
/** How long a provider that is asked too much is waited for, beside the time of its answers. */
export const WAIT_LIMIT_MS = 10_000
const PAUSES: BackOff = { firstMs: 250, longestMs: 2_000 }
const TOO_MANY_REQUESTS = 429
const MOST_REDIRECTS = 3
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308]

export interface Question {
  readonly method?: 'GET' | 'POST' | 'DELETE'
  /** Sent as a form, as OAuth wants it. */
  readonly form?: Readonly<Record<string, string>>
  readonly json?: unknown
  readonly authorization?: string
  /** Statuses that say something; any other means that the provider cannot be used now. */
  readonly expected?: readonly number[]
}

export interface Reply {
  readonly status: number
  /** What the JSON of the reply says; undefined where it has no body. */
  readonly body: any
}

/**
 * Sends one request to an identity provider. Whatever is no proper reply in time ends as `IdentityUnavailable`; the cause
 * says for the log what happened, without what was sent. What any caller may ask may be answered at another address of
 * the same origin; nothing that carries credentials or changes something is sent on.
 */
export async function ask(url: string, question: Question = {}): Promise<Reply> {
  const { expected = [200] } = question
  return exchange(url, question, mayBeSentOn(question), (status, text) => {
    if (!expected.includes(status)) {
      throw new Error(`it answered with the status ${status}${hint(status)}`)
    }
    return { status, body: text === '' || status === 401 ? undefined : parsed(text) }
  })
}

function mayBeSentOn({ method = 'GET', authorization }: Question): boolean {
  return method === 'GET' && authorization === undefined
}

/**
 * What an address answers with, whatever that is.
 */
export function lookAt(url: string): Promise<{ status: number; text: string }> {
  return exchange(url, {}, false, (status, text) => {
    if (status >= 500) {
      throw new Error(`it answered with the status ${status}`)
    }
    return { status, text }
  })
}

async function exchange<Result>(
  url: string,
  { method = 'GET', ...question }: Question,
  follow: boolean,
  read: (status: number, text: string) => Result
): Promise<Result> {
  try {
    const { status, text } = await patiently(() => answerOf(url, { ...question, method }, follow))
    return read(status, text)
  } catch (error) {
    const cause = new Error(`${method} ${url} at the identity provider failed: ${reasonOf(error)}`)
    throw new IdentityUnavailable(undefined, { cause })
  }
}

interface RawAnswer {
  readonly status: number
  readonly text: string
  /** Where the provider says when to come back. */
  readonly retryAfterMs: number | undefined
}

/** Sends a request again that was one too many for the provider, when that says so, as long as the caller may be kept waiting. */
async function patiently(send: () => Promise<RawAnswer>): Promise<RawAnswer> {
  const deadline = performance.now() + WAIT_LIMIT_MS
  for (let attempt = 1; ; attempt++) {
    const answer = await send()
    const pauseMs = answer.retryAfterMs ?? pauseAfter(attempt, PAUSES)
    if (answer.status !== TOO_MANY_REQUESTS || performance.now() + pauseMs > deadline) {
      return answer
    }
    await delay(pauseMs)
  }
}

async function answerOf(url: string, question: Question, follow: boolean): Promise<RawAnswer> {
  const signal = AbortSignal.timeout(LIMIT_MS)
  try {
    const send = (address: string) => sent(address, question, signal)
    const response = follow ? await followed(url, send) : await send(url)
    const { status, headers } = response
    return { status, text: await response.text(), retryAfterMs: retryAfterOf(headers) }
  } catch (error) {
    throw signal.aborted ? new Error(`no answer within ${LIMIT_MS} ms`) : error
  }
}

/** Providers name seconds; a date is not worth a clock that may differ. */
function retryAfterOf(headers: Headers): number | undefined {
  const seconds = headers.get('retry-after') ?? headers.get('ratelimit-reset')
  return seconds !== null && /^\d+$/.test(seconds) ? Number(seconds) * 1_000 : undefined
}

/** Where the way ends; an address of another origin is not asked. */
async function followed(
  url: string,
  send: (address: string) => Promise<Response>
): Promise<Response> {
  let address = url
  for (let redirects = 0; ; redirects++) {
    const response = await send(address)
    const location = response.headers.get('location')
    if (!REDIRECTS.includes(response.status) || location === null) {
      return response
    }
    await response.body?.cancel()
    address = nextAddress(address, location)
    if (redirects === MOST_REDIRECTS) {
      throw new Error(`it redirects more than ${MOST_REDIRECTS} times`)
    }
  }
}

function nextAddress(address: string, location: string): string {
  const next = URL.canParse(location, address) ? new URL(location, address) : undefined
  if (next?.origin !== new URL(address).origin) {
    const where = next ? `to ${next.origin}` : 'to nowhere'
    throw new Error(`it redirects ${where}; IDENTITY_URL has to name the address that answers`)
  }
  return next.href
}

/** A connection that was kept open may have been closed by the other side just now; then a new one is tried once. */
async function sent(url: string, question: Question, signal: AbortSignal): Promise<Response> {
  const request: RequestInit = {
    method: question.method,
    headers: headersOf(question),
    body: bodyOf(question),
    redirect: 'manual',
    signal,
  }
  try {
    return await fetch(url, request)
  } catch (error) {
    if (isStaleConnection(error)) {
      return fetch(url, request)
    }
    throw error
  }
}

function headersOf({ authorization, form, json }: Question): Record<string, string> {
  return {
    accept: 'application/json',
    ...(authorization !== undefined && { authorization }),
    ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
    ...(json !== undefined && { 'content-type': 'application/json' }),
  }
}

function bodyOf({ form, json }: Question): string | undefined {
  return form ? new URLSearchParams(form).toString() : JSON.stringify(json)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error('it answered with something else than JSON')
  }
}

function hint(status: number): string {
  return status === 401 || status === 403
    ? '; check CLIENT_ID, CLIENT_SECRET, REALM, IDENTITY_INTROSPECTION_AUTH and the permissions of that client'
    : ''
}

function isStaleConnection(error: unknown): boolean {
  return ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(codeOf(error) ?? '')
}

function codeOf(error: unknown): string | undefined {
  return ((error as Error).cause as NodeJS.ErrnoException | undefined)?.code
}

function reasonOf(error: unknown): string {
  return codeOf(error) ?? (error as Error).message
}
