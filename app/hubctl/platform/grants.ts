import type { Tokens } from '#hubctl/settings/contexts'
import { LoginProblem } from '#hubctl/problem'
import { reach } from './reaching.js'
import { refusalOf, type Refusal } from './refusals.js'

export interface PersonLogin {
  readonly user: string
  readonly password: string
  readonly realm: string
}

export type ClientLogin = NonNullable<Tokens['client']>

interface Answer {
  readonly access_token: string
  readonly expires_in?: number
  readonly refresh_token?: string
}

/** Asks the identity provider at an address for tokens. What is secret is sent in the body. */
export class Grants {
  readonly #identity: string

  constructor(identity: string) {
    this.#identity = identity
  }

  async byPassword({ user, password, realm }: PersonLogin): Promise<Tokens> {
    const form = { grant_type: 'password', username: user, password, realm_name: realm }
    return tokensOf(await this.#ask(form))
  }

  async byClient(client: ClientLogin): Promise<Tokens> {
    const { id, secret, realm } = client
    const form = { grant_type: 'client_credentials', client_id: id, client_secret: secret }
    const answer = await this.#ask({ ...form, ...(realm && { realm_id: realm }) })
    return { ...tokensOf(answer), client }
  }

  async byRefreshToken(refreshToken: string): Promise<Tokens> {
    const form = { grant_type: 'refresh_token', refresh_token: refreshToken }
    return { refreshToken, ...tokensOf(await this.#ask(form)) }
  }

  /** Ends the session of a refresh token, or an access token. */
  async revoke(token: string): Promise<void> {
    await this.#post('/token/revoke', { token })
  }

  async #ask(form: Record<string, string>): Promise<Answer> {
    const response = await this.#post('/token', form)
    if (!response.ok) {
      throw loginRefused(await refusalOf(response))
    }
    return (await response.json()) as Answer
  }

  #post(path: string, form: Record<string, string>): Promise<Response> {
    return reach(this.#identity + path, { method: 'POST', body: new URLSearchParams(form) })
  }
}

/** What is refused at the door is a matter of the login, whatever its status. */
function loginRefused(refusal: Refusal): Error {
  const isAboutCredentials = refusal.status === 400 || refusal.status === 401
  return isAboutCredentials
    ? new LoginProblem(refusal.message, 'Check name, realm and secret, then: hubctl login')
    : refusal
}

function tokensOf({
  access_token: accessToken,
  expires_in: seconds,
  refresh_token,
}: Answer): Tokens {
  return {
    accessToken,
    expiresAt: seconds === undefined ? expiryOf(accessToken) : Date.now() + seconds * 1000,
    ...(refresh_token && { refreshToken: refresh_token }),
  }
}

/** When a token ends, where it says so itself. */
export function expiryOf(token: string): number | null {
  const { exp } = claimsOf(token)
  return typeof exp === 'number' ? exp * 1000 : null
}

function claimsOf(token: string): { exp?: unknown } {
  try {
    const claims: unknown = JSON.parse(
      Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()
    )
    return typeof claims === 'object' && claims !== null ? claims : {}
  } catch {
    return {}
  }
}
