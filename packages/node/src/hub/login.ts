import { clock } from '#kernel/clock'

import { jsonOf } from './json_of.js'
import { requestHub } from './request_hub.js'

export interface ClientCredentials {
  readonly id: string
  readonly secret: string
}

interface Token {
  readonly text: string
  readonly renewAt: number
}

/** A token is renewed when a fifth of its lifetime is left. */
const LIFE_SHARE = 0.8
const DEFAULT_LIFE_SECONDS = 300

/** The login of a client. Concurrent requests share one token, and one renewal. */
export class Login {
  readonly #address: string
  readonly #credentials: ClientCredentials
  #token: Token | undefined
  #renewal: Promise<Token> | undefined

  constructor(address: string, credentials: ClientCredentials) {
    this.#address = address
    this.#credentials = credentials
  }

  /** Returns a valid token other than `refused`. */
  async token(refused?: string): Promise<string> {
    const current = this.#token
    if (current && current.text !== refused && current.renewAt > clock.now()) {
      return current.text
    }
    this.#renewal ??= this.#requestToken().finally(() => (this.#renewal = undefined))
    this.#token = await this.#renewal
    return this.#token.text
  }

  async #requestToken(): Promise<Token> {
    const { id, secret } = this.#credentials
    const form = { grant_type: 'client_credentials', client_id: id, client_secret: secret }
    const response = await requestHub(`${this.#address}/token`, {
      method: 'POST',
      body: new URLSearchParams(form),
    })
    const answer = await jsonOf<{ access_token: string; expires_in?: number }>(response)
    const lifeMs = (answer.expires_in ?? DEFAULT_LIFE_SECONDS) * 1000
    return { text: answer.access_token, renewAt: clock.now() + lifeMs * LIFE_SHARE }
  }
}
