import { readJson } from './body.js'
import type { Credentials } from './credentials.js'
import { Refused, Unreachable } from './failures.js'

/** What is undefined is not sent. */
export type QueryValues = Readonly<Record<string, string | number | boolean | undefined>>

export interface Call {
  readonly method?: string
  readonly query?: URLSearchParams | QueryValues | undefined
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
  /** What is sent instead of JSON. */
  readonly body?: FormData | URLSearchParams
  readonly signal?: AbortSignal | undefined
  /** Until the headers of the answer. */
  readonly timeoutMs?: number
  /** Until the end of the answer. */
  readonly answerMs?: number | undefined
}

export interface TransportOptions {
  readonly credentials?: Credentials
  /** What is sent with every request. */
  readonly headers?: () => Readonly<Record<string, string>>
  readonly timeoutMs?: number
}

const TIMEOUT_MS = 30_000

/** Sends requests with one login. A token that is refused is renewed once; limits are those of each attempt. */
export class Transport {
  readonly #options: TransportOptions

  constructor(options: TransportOptions = {}) {
    this.#options = options
  }

  /** Sends a request, and returns the answer whatever its status is. The caller reads or cancels the body. */
  async send(address: string, call: Call = {}): Promise<Response> {
    const { credentials } = this.#options
    const token = await credentials?.token()
    const response = await this.#attempt(address, call, token)
    if (response.status !== 401 || !credentials) {
      return response
    }
    const renewed = await renewedOrCancelled(credentials, token, response)
    if (renewed === undefined) {
      return response
    }
    await response.body?.cancel()
    return this.#attempt(address, call, renewed)
  }

  /** Sends a request, and throws `Refused` if it does not succeed. The caller reads or cancels the body. */
  async open(address: string, call?: Call): Promise<Response> {
    const response = await this.send(address, call)
    if (!response.ok) {
      throw await Refused.from(response)
    }
    return response
  }

  /** Sends a request and parses the JSON answer; undefined if it is empty. */
  async json<T>(address: string, call?: Call): Promise<T> {
    return readJson<T>(await this.open(address, call))
  }

  async #attempt(address: string, call: Call, token: string | undefined): Promise<Response> {
    const { timeoutMs = this.#options.timeoutMs ?? TIMEOUT_MS, answerMs, signal } = call
    const url = urlOf(address, call.query)
    const init = initOf(call, { ...this.#options.headers?.(), ...call.headers }, token)
    const limit = new AbortController()
    const timer = setTimeout(() => limit.abort(), timeoutMs)
    const whole = answerMs === undefined ? undefined : AbortSignal.timeout(answerMs)
    const signals = [signal, limit.signal, whole].filter((one) => one !== undefined)
    try {
      return await fetch(url, { ...init, signal: AbortSignal.any(signals) })
    } catch (error) {
      if (signal?.aborted) {
        throw error
      }
      const limitMs = limit.signal.aborted ? timeoutMs : whole?.aborted ? answerMs : undefined
      throw unreachable(url, error as Error, limitMs)
    } finally {
      clearTimeout(timer)
    }
  }
}

async function renewedOrCancelled(
  credentials: Credentials,
  refused: string | undefined,
  response: Response
): Promise<string | undefined> {
  try {
    return await credentials.renewed(refused)
  } catch (error) {
    await response.body?.cancel()
    throw error
  }
}

/** What `fetch` says of an address with a password would contain the password. */
function urlOf(address: string, query: Call['query']): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (!url || url.username || url.password) {
    throw new TypeError('The address is not one of a server, or contains a password')
  }
  const values = query instanceof URLSearchParams ? query : Object.entries(query ?? {})
  for (const [name, value] of values) {
    if (value !== undefined) {
      url.searchParams.append(name, String(value))
    }
  }
  return url
}

/** A redirect is never followed, since the token would go with it. */
function initOf(
  call: Call,
  headers: Record<string, string>,
  token: string | undefined
): RequestInit {
  const {
    method = 'GET',
    json,
    body = json === undefined ? undefined : JSON.stringify(json),
  } = call
  return {
    method,
    redirect: 'manual',
    headers: {
      accept: 'application/json',
      ...(json !== undefined && { 'content-type': 'application/json' }),
      ...headers,
      ...(token !== undefined && { authorization: `Bearer ${usable(token)}` }),
    },
    ...(body !== undefined && { body }),
  }
}

/** What `fetch` says of a header that it cannot send would contain the token. */
function usable(token: string): string {
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new TypeError('The token has characters that no token has: copy it again, without spaces')
  }
  return token
}

function unreachable({ origin }: URL, error: Error, limitMs: number | undefined): Unreachable {
  if (limitMs !== undefined) {
    return new Unreachable(origin, `no answer in ${limitMs / 1000} s`, { cause: error })
  }
  const { code, message } = (error.cause ?? {}) as { code?: string; message?: string }
  return new Unreachable(origin, message || code || error.message, { cause: error, code })
}
