import http, {
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type RequestOptions,
} from 'node:http'
import https from 'node:https'
import { setTimeout as delay } from 'node:timers/promises'

import { jitteredBackoff, type BackoffPolicy } from '#kernel/backoff'
import { IdentityUnavailable } from '#kernel/failures'

const LIMIT_MS = 3_000
/** How long a provider that is asked too much is waited for, beside the time of its answers. */
export const WAIT_LIMIT_MS = 10_000
const PAUSES: BackoffPolicy = { firstMs: 250, longestMs: 2_000 }
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
  readonly headers: IncomingHttpHeaders
}

/** Sends a request again that was one too many for the provider, when that says so, as long as the caller may be kept waiting. */
async function patiently(send: () => Promise<RawAnswer>): Promise<RawAnswer> {
  const deadline = performance.now() + WAIT_LIMIT_MS
  for (let attempt = 1; ; attempt++) {
    const answer = await send()
    const pauseMs = retryAfterOf(answer.headers) ?? jitteredBackoff(attempt, PAUSES)
    if (answer.status !== TOO_MANY_REQUESTS || performance.now() + pauseMs > deadline) {
      return answer
    }
    await delay(pauseMs)
  }
}

async function answerOf(url: string, question: Question, follow: boolean): Promise<RawAnswer> {
  const deadline = performance.now() + LIMIT_MS
  const send = (address: string) => sent(address, question, deadline)
  return follow ? followed(url, send) : send(url)
}

/** Providers name seconds; a date is not worth a clock that may differ. */
function retryAfterOf(headers: IncomingHttpHeaders): number | undefined {
  const seconds = headers['retry-after'] ?? headers['ratelimit-reset']
  return typeof seconds === 'string' && /^\d+$/.test(seconds) ? Number(seconds) * 1_000 : undefined
}

/** Where the way ends; an address of another origin is not asked. */
async function followed(
  url: string,
  send: (address: string) => Promise<RawAnswer>
): Promise<RawAnswer> {
  let address = url
  for (let redirects = 0; ; redirects++) {
    const answer = await send(address)
    const { location } = answer.headers
    if (!REDIRECTS.includes(answer.status) || location === undefined) {
      return answer
    }
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
async function sent(url: string, question: Question, deadline: number): Promise<RawAnswer> {
  try {
    return await sendOnce(url, question, deadline)
  } catch (error) {
    if (error instanceof StaleConnection) {
      return sendOnce(url, question, deadline, NEW_CONNECTION)
    }
    throw error
  }
}

/** The process's own agents, which keep connections open and use a proxy that the environment names. */
const KEPT_OPEN: RequestOptions = {}
const NEW_CONNECTION: RequestOptions = { agent: false }

function sendOnce(
  url: string,
  question: Question,
  deadline: number,
  options = KEPT_OPEN
): Promise<RawAnswer> {
  const headers = headersOf(question)
  const { promise, resolve, reject } = Promise.withResolvers<RawAnswer>()
  const { request } = url.startsWith('https:') ? https : http
  const sending = request(url, { ...options, method: question.method, headers })
  const timer = setTimeout(() => {
    reject(new Error(`no answer within ${LIMIT_MS} ms`))
    sending.destroy()
  }, deadline - performance.now())
  sending.once('error', (error) =>
    reject(sending.reusedSocket && isStale(error) ? new StaleConnection() : error)
  )
  sending.once('response', (response) => {
    response.setEncoding('utf8')
    let text = ''
    response.on('data', (chunk: string) => (text += chunk))
    response.once('error', reject)
    response.once('end', () => {
      resolve({ status: response.statusCode!, text, headers: response.headers })
    })
  })
  sending.end(bodyOf(question))
  return promise.finally(() => clearTimeout(timer))
}

function headersOf({ authorization, form, json }: Question): OutgoingHttpHeaders {
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

const isStale = ({ code }: NodeJS.ErrnoException) => code === 'ECONNRESET' || code === 'EPIPE'

class StaleConnection extends Error {}

/** Errors of several addresses have no text of their own. */
function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  return code ?? message
}
