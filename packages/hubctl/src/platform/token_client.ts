import { readJson } from '#client/body'
import { Refused } from '#client/failures'
import type { Tokens } from '#hubctl/settings/contexts'
import { LoginProblem } from '#hubctl/problem'
import { reach } from './reach.js'
import { apiErrorOf, type ApiError } from './api_error.js'

export interface PersonLogin {
  readonly user: string
  readonly password: string
  readonly realm: string
}

export type ClientLogin = NonNullable<Tokens['client']>

interface TokenAnswer {
  readonly access_token: string
  readonly expires_in?: number
  readonly refresh_token?: string
}

/** Requests tokens from the identity provider. Secrets are sent in the body. */
export class TokenClient {
  readonly #identity: string

  constructor(identity: string) {
    this.#identity = identity
  }

  async byPassword({ user, password, realm }: PersonLogin): Promise<Tokens> {
    const form = { grant_type: 'password', username: user, password, realm_name: realm }
    return tokensOf(await this.#requestTokens(form))
  }

  async byClient(client: ClientLogin): Promise<Tokens> {
    const { id, secret, realm } = client
    const form = { grant_type: 'client_credentials', client_id: id, client_secret: secret }
    const answer = await this.#requestTokens({ ...form, ...(realm && { realm_id: realm }) })
    return { ...tokensOf(answer), client }
  }

  async byRefreshToken(refreshToken: string): Promise<Tokens> {
    const form = { grant_type: 'refresh_token', refresh_token: refreshToken }
    return { refreshToken, ...tokensOf(await this.#requestTokens(form)) }
  }

  /** Ends the session of a refresh token, or an access token. */
  async revoke(token: string): Promise<void> {
    await this.#send('/token/revoke', { token })
  }

  async #requestTokens(form: Record<string, string>): Promise<TokenAnswer> {
    const response = await this.#send('/token', form)
    if (!response.ok) {
      throw asLoginProblem(apiErrorOf(await Refused.from(response)))
    }
    return readJson<TokenAnswer>(response)
  }

  #send(path: string, form: Record<string, string>): Promise<Response> {
    return reach(this.#identity + path, { method: 'POST', body: new URLSearchParams(form) })
  }
}

/** Rejected credentials are a login problem, whether the status is 400 or 401. */
function asLoginProblem(error: ApiError): Error {
  const isAboutCredentials = error.status === 400 || error.status === 401
  return isAboutCredentials
    ? new LoginProblem(error.message, 'Check name, realm and secret, then: hubctl login')
    : error
}

function tokensOf({
  access_token: accessToken,
  expires_in: seconds,
  refresh_token,
}: TokenAnswer): Tokens {
  return {
    accessToken,
    expiresAt: seconds === undefined ? expiryOf(accessToken) : Date.now() + seconds * 1000,
    ...(refresh_token && { refreshToken: refresh_token }),
  }
}

/** The expiry of a token, if it contains one. */
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
