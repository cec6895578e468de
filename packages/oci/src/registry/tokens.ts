import { clock } from '#kernel/clock'

import { RegistryUnavailable, RegistryResponseInvalid, RegistryDenied } from '#oci/errors'
import { RegistryResponse } from './registry_response.js'
import type { Challenge } from './challenge.js'
import type { Connections } from './connections.js'

export interface Account {
  readonly accountName?: string | null
  readonly accountSecret?: string | null
}

interface TokenRequestOptions {
  readonly idleMs: number
  readonly signal: AbortSignal | undefined
}

type BearerChallenge = Extract<Challenge, { scheme: 'bearer' }>

interface Token {
  readonly text: string
  readonly expiresAt: number
}

/** Default lifetime if the token service names none. */
const DEFAULT_SECONDS = 60
/** Share of the lifetime in which a token is used, so that it does not expire in flight. */
const USABLE_SHARE = 0.8

/** Authenticates to a registry with basic or bearer credentials. */
export class Tokens {
  readonly #origin: URL
  readonly #connections: Connections
  readonly #basic: string | undefined
  readonly #tokens = new Map<string, Promise<Token>>()
  #challenge: Challenge | undefined

  constructor(origin: URL, connections: Connections, { accountName, accountSecret }: Account) {
    this.#origin = origin
    this.#connections = connections
    this.#basic =
      accountName && accountSecret
        ? `Basic ${Buffer.from(`${accountName}:${accountSecret}`).toString('base64')}`
        : undefined
  }

  /** The `Authorization` header for the scopes, or undefined until the registry sends a challenge. */
  async header(
    scopes: readonly string[],
    options: TokenRequestOptions
  ): Promise<string | undefined> {
    if (this.#challenge?.scheme === 'bearer') {
      return `Bearer ${await this.#token(this.#challenge, scopes, options)}`
    }
    return this.#challenge && this.#basic
  }

  /** Processes a challenge. Returns false if retrying would send the same credentials again. */
  acceptChallenge(challenge: Challenge | undefined, rejected: string | undefined): boolean {
    if (
      !challenge ||
      (challenge.scheme === 'basic' && (!this.#basic || rejected === this.#basic))
    ) {
      return false
    }
    this.#challenge = challenge
    if (rejected !== undefined) {
      this.#tokens.clear()
    }
    return true
  }

  async #token(
    challenge: BearerChallenge,
    scopes: readonly string[],
    options: TokenRequestOptions
  ) {
    const key = this.#keyFor(scopes)
    const cached = this.#tokens.get(key)
    const known = cached && (await cached.catch(() => undefined))
    if (known && known.expiresAt > clock.now()) {
      return known.text
    }
    const { text } = await this.#refresh(key, cached, () =>
      this.#request(challenge, key.split(' '), options)
    )
    return text
  }

  /** Requests a token once for concurrent callers. */
  #refresh(key: string, previous: Promise<Token> | undefined, request: () => Promise<Token>) {
    const current = this.#tokens.get(key)
    if (current && current !== previous) {
      return current
    }
    const pending = request()
    this.#tokens.set(key, pending)
    pending.catch(() => this.#tokens.get(key) === pending && this.#tokens.delete(key))
    return pending
  }

  /** A cached token with more permissions will do: pushing starts with a mount, which needs the widest scope. */
  #keyFor(scopes: readonly string[]): string {
    const key = scopes.join(' ')
    const isKnown = this.#tokens.has(key)
    return (isKnown ? key : this.#tokens.keys().find((other) => covers(other, scopes))) ?? key
  }

  async #request(
    { realm, service }: BearerChallenge,
    scopes: readonly string[],
    options: TokenRequestOptions
  ) {
    const url = this.#realm(realm)
    if (service !== undefined) {
      url.searchParams.set('service', service)
    }
    scopes.forEach((scope) => url.searchParams.append('scope', scope))
    const headers = {
      accept: 'application/json',
      ...(this.#basic && { authorization: this.#basic }),
    }
    const response = await this.#connections.send({ method: 'GET', url, headers, ...options })
    const answer = new RegistryResponse(url, response, options.idleMs, options.signal)
    if (answer.status !== 200) {
      answer.discard()
      throw toTokenError(url, answer.status)
    }
    return parseToken(await answer.json(), url)
  }

  /** The URL of the token service. Credentials are never sent over plain HTTP to another host. */
  #realm(realm: string): URL {
    const url = URL.parse(realm)
    const isAllowed =
      url?.protocol === 'https:' ||
      (url?.protocol === 'http:' && url.origin === this.#origin.origin)
    if (!url || !isAllowed) {
      throw new RegistryResponseInvalid(
        `${this.#origin.host} names a token service that credentials must not be sent to: ${JSON.stringify(realm.slice(0, 200))}`
      )
    }
    url.username = ''
    url.password = ''
    return url
  }
}

/** `repository:x:pull,push` includes `repository:x:pull`. */
function covers(key: string, scopes: readonly string[]): boolean {
  const known = key.split(' ')
  return scopes.every((scope) =>
    known.some((other) => other === scope || other.startsWith(`${scope},`))
  )
}

function toTokenError(url: URL, status: number): Error {
  const content = `${url.host} answered the token request with ${status}`
  return status >= 500 || status === 429
    ? new RegistryUnavailable(content)
    : new RegistryDenied(content)
}

function parseToken(content: Record<string, unknown> | undefined, url: URL): Token {
  const text = content?.token ?? content?.access_token
  if (typeof text !== 'string' || !/^[\w.~+/=-]+$/.test(text)) {
    throw new RegistryResponseInvalid(
      `${url.host} answered the token request without a valid token`
    )
  }
  const seconds = Number(content?.expires_in ?? DEFAULT_SECONDS) || DEFAULT_SECONDS
  return { text, expiresAt: clock.now() + seconds * 1000 * USABLE_SHARE }
}
