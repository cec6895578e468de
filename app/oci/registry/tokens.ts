import { clock } from '#kernel/clock'

import { RegistryAway, RegistryConfused, RegistryDenied } from '#oci/errors'
import { Answer } from './answer.js'
import type { Challenge } from './challenge.js'
import type { Connections } from './exchange.js'

export interface Account {
  readonly accountName?: string | null
  readonly accountSecret?: string | null
}

interface Asking {
  readonly idleMs: number
  readonly signal: AbortSignal | undefined
}

type BearerChallenge = Extract<Challenge, { scheme: 'bearer' }>

interface Token {
  readonly text: string
  readonly until: number
}

/** What a token lasts where its service does not say. */
const USUAL_SECONDS = 60
/** The part of that in which it is used: it must not end under way. */
const USED_PART = 0.8

/** Who asks a registry, as it wants to be told. */
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

  /** What the registry is sent to be let do all this; nothing until it has said how it wants to be told. */
  async header(scopes: readonly string[], asking: Asking): Promise<string | undefined> {
    if (this.#challenge?.scheme === 'bearer') {
      return `Bearer ${await this.#token(this.#challenge, scopes, asking)}`
    }
    return this.#challenge && this.#basic
  }

  /** Takes note of a refusal; false where nothing else can be sent than what was refused. */
  learn(challenge: Challenge | undefined, refused: string | undefined): boolean {
    if (!challenge || (challenge.scheme === 'basic' && (!this.#basic || refused === this.#basic))) {
      return false
    }
    this.#challenge = challenge
    if (refused !== undefined) {
      this.#tokens.clear()
    }
    return true
  }

  async #token(challenge: BearerChallenge, scopes: readonly string[], asking: Asking) {
    const key = this.#keyFor(scopes)
    const held = this.#tokens.get(key)
    const known = held && (await held.catch(() => undefined))
    if (known && known.until > clock.now()) {
      return known.text
    }
    const { text } = await this.#next(key, held, () => this.#ask(challenge, key.split(' '), asking))
    return text
  }

  /** The token after one that is over, which those who ask at the same time share. */
  #next(key: string, before: Promise<Token> | undefined, ask: () => Promise<Token>) {
    const begun = this.#tokens.get(key)
    if (begun && begun !== before) {
      return begun
    }
    const asked = ask()
    this.#tokens.set(key, asked)
    asked.catch(() => this.#tokens.get(key) === asked && this.#tokens.delete(key))
    return asked
  }

  /** One that lets more be done is as good: what is written to is mounted into first, and that takes the widest. */
  #keyFor(scopes: readonly string[]): string {
    const key = scopes.join(' ')
    const isKnown = this.#tokens.has(key)
    return (isKnown ? key : this.#tokens.keys().find((other) => covers(other, scopes))) ?? key
  }

  async #ask({ realm, service }: BearerChallenge, scopes: readonly string[], asking: Asking) {
    const url = this.#realm(realm)
    if (service !== undefined) {
      url.searchParams.set('service', service)
    }
    scopes.forEach((scope) => url.searchParams.append('scope', scope))
    const headers = {
      accept: 'application/json',
      ...(this.#basic && { authorization: this.#basic }),
    }
    const response = await this.#connections.send({ method: 'GET', url, headers, ...asking })
    const answer = new Answer(url, response, asking.idleMs, asking.signal)
    if (answer.status !== 200) {
      answer.drop()
      throw refusalOf(url, answer.status)
    }
    return tokenIn(await answer.json(), url)
  }

  /** The account goes to where the registry says; over a network never in clear. */
  #realm(realm: string): URL {
    const url = URL.parse(realm)
    const isAllowed =
      url?.protocol === 'https:' ||
      (url?.protocol === 'http:' && url.origin === this.#origin.origin)
    if (!url || !isAllowed) {
      throw new RegistryConfused(
        `${this.#origin.host} sends us to ${JSON.stringify(realm.slice(0, 200))} for a token, where no account may be shown`
      )
    }
    url.username = ''
    url.password = ''
    return url
  }
}

/** `repository:x:pull,push` is for `repository:x:pull`, too. */
function covers(key: string, scopes: readonly string[]): boolean {
  const known = key.split(' ')
  return scopes.every((scope) =>
    known.some((other) => other === scope || other.startsWith(`${scope},`))
  )
}

function refusalOf(url: URL, status: number): Error {
  const said = `${url.host} answered the question for a token with ${status}`
  return status >= 500 || status === 429 ? new RegistryAway(said) : new RegistryDenied(said)
}

function tokenIn(said: Record<string, unknown> | undefined, url: URL): Token {
  const text = said?.token ?? said?.access_token
  if (typeof text !== 'string' || !/^[\w.~+/=-]+$/.test(text)) {
    throw new RegistryConfused(`${url.host} answered the question for a token with something else`)
  }
  const seconds = Number(said?.expires_in ?? USUAL_SECONDS) || USUAL_SECONDS
  return { text, until: clock.now() + seconds * 1000 * USED_PART }
}
