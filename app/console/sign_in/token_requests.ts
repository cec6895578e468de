import { inject } from '@adonisjs/core'

import { basicAuthorization } from '#auth/external/credentials'
import { sendRequest, type ProviderResponse } from '#auth/external/provider_request'
import { clock } from '#kernel/clock'
import { newFormSecret, type ConsoleSession } from '#console/session/console_session'
import { consoleSettings } from '#console/console_settings'
import { ProviderEndpoints } from './provider_endpoints.js'

/** The assumed lifetime of tokens if the provider states none. */
const DEFAULT_SECONDS = 300

/** The provider issued no tokens. The message is the description of the provider. */
export class TokensRefused extends Error {}

interface CodeExchange {
  readonly code: string
  readonly verifier: string
  readonly redirectUri: string
}

interface IssuedTokens {
  readonly session: ConsoleSession
  /** Identifies the user at the sign-out. */
  readonly idToken: string | undefined
}

/** Requests of the console to the token endpoint of the provider, with the address of the user. */
@inject()
export class TokenRequests {
  readonly #endpoints: ProviderEndpoints

  constructor(endpoints: ProviderEndpoints) {
    this.#endpoints = endpoints
  }

  /** Exchanges a code for the tokens of a new session. */
  async exchange(
    { code, verifier, redirectUri }: CodeExchange,
    address: string
  ): Promise<IssuedTokens> {
    const form = { code, code_verifier: verifier, redirect_uri: redirectUri }
    return this.#request({ grant_type: 'authorization_code', ...form }, address)
  }

  /** Renews the tokens of a session. Providers that do not rotate refresh tokens return none. */
  async renew(session: ConsoleSession, address: string): Promise<ConsoleSession> {
    const { refreshToken } = session
    if (refreshToken === undefined) {
      throw new TokensRefused('There is no refresh token')
    }
    const form = { grant_type: 'refresh_token', refresh_token: refreshToken }
    const { session: renewed } = await this.#request(form, address, session)
    return renewed
  }

  /** Ends the session at the provider, if it offers that. */
  async revoke({ accessToken, refreshToken }: ConsoleSession, address: string): Promise<void> {
    const { revocation } = await this.#endpoints.get()
    if (revocation !== undefined) {
      await this.#send(revocation, { token: refreshToken ?? accessToken }, address)
    }
  }

  async #request(
    form: Record<string, string>,
    address: string,
    former?: ConsoleSession
  ): Promise<IssuedTokens> {
    const { token } = await this.#endpoints.get()
    const { status, body } = await this.#send(token, form, address)
    if (status !== 200 || typeof body?.access_token !== 'string') {
      throw new TokensRefused(String(body?.error_description ?? body?.error ?? `status ${status}`))
    }
    const session = {
      accessToken: body.access_token,
      refreshToken: textOf(body.refresh_token) ?? former?.refreshToken,
      expiresAt: clock.now() + secondsOf(body.expires_in) * 1_000,
      formSecret: former?.formSecret ?? newFormSecret(),
    }
    return { session, idToken: textOf(body.id_token) }
  }

  #send(url: string, form: Record<string, string>, onBehalfOf: string): Promise<ProviderResponse> {
    const { clientId, clientSecret } = consoleSettings()
    return sendRequest(url, {
      method: 'POST',
      expected: [200, 204, 400, 401],
      onBehalfOf,
      ...(clientSecret === undefined
        ? { form: { ...form, client_id: clientId } }
        : { form, authorization: basicAuthorization({ clientId, clientSecret }) }),
    })
  }
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

const secondsOf = (value: unknown): number => (typeof value === 'number' ? value : DEFAULT_SECONDS)
