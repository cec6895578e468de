import { sleep, jitteredBackoff } from '#kernel/backoff'

import {
  ImageFailure,
  RegistryUnavailable,
  RegistryResponseInvalid,
  RegistryDenied,
} from '#oci/errors'
import { digestOf } from '#oci/verified_bytes'
import { isObject } from '#oci/manifest'
import { unlessAborted } from '#oci/unless_aborted'
import type { JournalEntry, UploadJournal } from '#oci/uploads/upload_journal'
import { RegistryResponse } from './registry_response.js'
import { parseChallenge } from './challenge.js'
import { Connections, type OutboundGuard } from './connections.js'
import type { RequestTracing } from './request_step.js'
import { baseOf } from './registry_address.js'
import { Tokens, type Account } from './tokens.js'

export interface RegistryAddress extends Account {
  readonly host: string
}

export interface RegistryOptions {
  /** Skips verification of the TLS certificate. */
  readonly isInsecure?: boolean
  /** How long a registry may be silent. Four times as long where it has to process a whole blob. */
  readonly idleMs?: number
  /** How often a request is sent if it fails with a transient error. */
  readonly attempts?: number
  readonly firstPauseMs?: number
  /** Minimum time for which transient errors are retried, beyond `attempts`. */
  readonly retryForMs?: number
  readonly guard?: OutboundGuard
  /** Records uploads, so that they can be cancelled after a crash. */
  readonly journal?: UploadJournal
  /** Makes each request a step of the trace of whoever sends it, which the registry can continue. */
  readonly tracing?: RequestTracing
}

export interface RegistryRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** A path below `/v2/`, or a URL returned by the registry. */
  readonly at: string | URL
  readonly scopes: readonly string[]
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array
  /** Status codes that are returned to the caller; any other is an error. */
  readonly expected: readonly number[]
  /** Disables retries, for requests that are not idempotent. */
  readonly isSingleAttempt?: boolean
  readonly isSlow?: boolean
  /** The journal entry of the upload this request belongs to. */
  readonly journalEntry?: JournalEntry | undefined
  /** The URL that started the upload, if it was another request. */
  readonly startUrl?: URL
}

const IDLE_MS = 60_000
const ATTEMPTS = 5
const FIRST_PAUSE_MS = 200
const MAX_PAUSE_MS = 8_000
const MAX_RETRY_AFTER_MS = 30_000
const MAX_REDIRECTS = 5
const MAX_REASON_BYTES = 64 * 1024
const REDIRECTS = [301, 302, 303, 307, 308]
const TRANSIENT_STATUSES = [408, 425, 429, 500, 502, 503, 504]
const NEVER = new AbortController().signal

interface ClientSettings extends Required<
  Pick<RegistryOptions, 'idleMs' | 'attempts' | 'firstPauseMs' | 'retryForMs'>
> {
  readonly journal: UploadJournal | undefined
}

/** Client for one registry: authenticates, retries transient errors, and enforces timeouts. */
export class RegistryClient {
  readonly base: URL
  readonly #connections: Connections
  readonly #tokens: Tokens
  readonly #options: ClientSettings
  readonly #signal: AbortSignal | undefined

  constructor(
    base: URL,
    connections: Connections,
    tokens: Tokens,
    options: ClientSettings,
    signal?: AbortSignal
  ) {
    this.base = base
    this.#connections = connections
    this.#tokens = tokens
    this.#options = options
    this.#signal = signal
  }

  static open(address: RegistryAddress, options: RegistryOptions = {}): RegistryClient {
    const base = baseOf(address.host)
    const { isInsecure, guard, journal, tracing } = options
    const uploader = journal?.uploader
    const connections = new Connections(!isInsecure, { guard, uploader, tracing })
    return new RegistryClient(base, connections, new Tokens(base, connections, address), {
      idleMs: options.idleMs ?? IDLE_MS,
      attempts: options.attempts ?? ATTEMPTS,
      firstPauseMs: options.firstPauseMs ?? FIRST_PAUSE_MS,
      retryForMs: options.retryForMs ?? 0,
      journal,
    })
  }

  get host(): string {
    return this.base.host
  }

  /** Whether retries are used up, by the number of failures and the time since the first. */
  isExhausted(failures: number, startedAt: number): boolean {
    const { attempts, retryForMs } = this.#options
    return failures >= attempts && performance.now() - startedAt >= retryForMs
  }

  newJournalEntry(): JournalEntry | undefined {
    return this.#options.journal?.newEntry()
  }

  /** The same client bound to a signal. Undefined is for cleanup that must not be aborted. */
  within(signal: AbortSignal | undefined): RegistryClient {
    return new RegistryClient(this.base, this.#connections, this.#tokens, this.#options, signal)
  }

  close(): void {
    this.#connections.close()
  }

  get isAborted(): boolean {
    return this.#signal?.aborted === true
  }

  throwIfAborted(): void {
    this.#signal?.throwIfAborted()
  }

  /** Awaits a promise that may never settle. */
  unlessAborted<T>(promise: Promise<T>): Promise<T> {
    return unlessAborted(promise, this.#signal)
  }

  async send(request: RegistryRequest): Promise<RegistryResponse> {
    const startedAt = performance.now()
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#sendAuthorized(request)
      } catch (error) {
        this.throwIfAborted()
        const failure = toImageFailure(error, request, this.host)
        if (
          !failure.isTransient ||
          request.isSingleAttempt ||
          this.isExhausted(attempt, startedAt)
        ) {
          throw failure
        }
        await this.backOff(
          attempt,
          failure instanceof RegistryOverloaded ? failure.retryAfterMs : 0
        )
      }
    }
  }

  /** Waits before the next attempt. */
  async backOff(failures: number, minMs = 0): Promise<void> {
    const backOff = { firstMs: this.#options.firstPauseMs, longestMs: MAX_PAUSE_MS }
    await sleep(Math.max(jitteredBackoff(failures, backOff), minMs), this.#signal ?? NEVER)
    this.throwIfAborted()
  }

  /** Retries once if the registry asks for authentication or the token expired. */
  async #sendAuthorized(request: RegistryRequest): Promise<RegistryResponse> {
    const asking = { idleMs: this.#options.idleMs, signal: this.#signal }
    for (let isFirst = true; ; isFirst = false) {
      const authorization = await this.#tokens.header(request.scopes, asking)
      const response = await this.#followRedirects(request, authorization)
      if (request.expected.includes(response.status)) {
        return response
      }
      const canAuthenticate =
        isFirst &&
        response.status === 401 &&
        response.url.origin === this.base.origin &&
        this.#tokens.acceptChallenge(
          parseChallenge(response.header('www-authenticate')),
          authorization
        )
      if (!canAuthenticate) {
        throw await this.#toError(request, response)
      }
      response.discard()
    }
  }

  /** Follows redirects of read requests. Credentials are sent to the origin of the registry only. */
  async #followRedirects(
    request: RegistryRequest,
    authorization: string | undefined
  ): Promise<RegistryResponse> {
    const idleMs = this.#options.idleMs * (request.isSlow ? 4 : 1)
    let url = request.at instanceof URL ? request.at : new URL(request.at, this.base)
    for (let hops = 0; ; hops++) {
      this.#requireAllowed(url)
      const headers = {
        ...request.headers,
        ...(authorization !== undefined && url.origin === this.base.origin && { authorization }),
      }
      const { method, body, journalEntry, startUrl = url } = request
      const upload = journalEntry && { note: journalEntry.path, startUrl: startUrl.href }
      const outgoing = { method, url, headers, body, idleMs, signal: this.#signal, upload }
      const response = new RegistryResponse(
        url,
        await this.#connections.send(outgoing),
        idleMs,
        this.#signal
      )
      const isRead = method === 'GET' || method === 'HEAD'
      if (!isRead || !REDIRECTS.includes(response.status)) {
        return response
      }
      const next = response.location()
      response.discard()
      if (!next || hops >= MAX_REDIRECTS) {
        throw new RegistryResponseInvalid(`${this.host} sends us from one place to the next`)
      }
      url = next
    }
  }

  #requireAllowed({ protocol, username }: URL): void {
    const isSecured = protocol === 'https:' || protocol === this.base.protocol
    if (!isSecured || !['https:', 'http:'].includes(protocol) || username !== '') {
      throw new RegistryResponseInvalid(`${this.host} redirected to an address that is not allowed`)
    }
  }

  async #toError(request: RegistryRequest, response: RegistryResponse): Promise<Error> {
    const { status } = response
    const { code, text } = await readReason(response, this.base)
    const message = `${response.url.host} answered ${describe(request)} with ${status}${text}`
    if (TRANSIENT_STATUSES.includes(status)) {
      return new RegistryOverloaded(message, Number(response.header('retry-after')) * 1000)
    }
    return status === 401 || status === 403
      ? new RegistryDenied(message)
      : new RegistryRejection(message, code)
  }
}

/** The registry rejected a request, possibly with an error code of the distribution API. */
export class RegistryRejection extends RegistryResponseInvalid {
  readonly reason: string | undefined

  constructor(message: string, reason: string | undefined) {
    super(message)
    this.reason = reason
  }
}

/** The registry is overloaded, possibly with a `Retry-After`. */
class RegistryOverloaded extends RegistryUnavailable {
  readonly retryAfterMs: number

  constructor(message: string, retryAfterMs: number) {
    super(message)
    this.retryAfterMs = retryAfterMs > 0 ? Math.min(retryAfterMs, MAX_RETRY_AFTER_MS) : 0
  }
}

function toImageFailure(error: unknown, request: RegistryRequest, host: string): ImageFailure {
  return error instanceof ImageFailure
    ? error
    : new RegistryUnavailable(`${host} did not respond to ${describe(request)}`, error)
}

/** Method and path, without the query, which may contain secrets. */
function describe({ method, at }: RegistryRequest): string {
  const path = at instanceof URL ? at.pathname : at.replace(/\?.*/, '')
  return `${method} ${path.slice(0, 200)}`
}

interface RegistryReason {
  readonly code: string | undefined
  readonly text: string
}

/** Reads the error of a registry. For other origins it returns only size and digest, never the text. */
async function readReason(response: RegistryResponse, { origin }: URL): Promise<RegistryReason> {
  if (response.url.origin !== origin) {
    const bytes = await response.bytes(MAX_REASON_BYTES).catch(() => undefined)
    return { code: undefined, text: bytes ? ` (${bytes.length} bytes, ${digestOf(bytes)})` : '' }
  }
  const reason = await response.json(MAX_REASON_BYTES).catch(() => undefined)
  const [first] = Array.isArray(reason?.errors) ? reason.errors : []
  const { code, message } = isObject(first) ? first : {}
  const parts = [code, message].filter((part) => typeof part === 'string')
  const text = parts
    .join(': ')
    .replaceAll(/[^\x20-\x7e]+/g, ' ')
    .slice(0, 200)
  return { code: typeof code === 'string' ? code : undefined, text: text && ` (${text})` }
}
