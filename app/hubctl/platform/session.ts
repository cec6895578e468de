import type { Contexts, Tokens } from '#hubctl/settings/contexts'
import { LoginProblem, Problem } from '#hubctl/problem'
import { EXIT } from '#hubctl/exit_codes'
import type { TokenClient } from './token_client.js'

/** A token that is about to end is renewed, so that it lasts for the request. */
const RENEW_AHEAD_MS = 20_000

/** As whom requests are made. */
export interface Session {
  /** The access token; undefined where nobody is logged in. */
  token(): Promise<string | undefined>
  /** Another one in the place of one that was not accepted; undefined where there is none. */
  renewed(refused: string): Promise<string | undefined>
}

/** A token that was given from outside, or none. */
export function fixedSession(token: string | undefined): Session {
  return { token: async () => token, renewed: async () => undefined }
}

/** The login that is kept with a context: its token is renewed when its time is over, by one hubctl at a time. */
export class StoredSession implements Session {
  readonly #contexts: Contexts
  readonly #name: string
  readonly #grants: TokenClient
  #tokens: Tokens

  constructor(contexts: Contexts, name: string, tokens: Tokens, grants: TokenClient) {
    this.#contexts = contexts
    this.#name = name
    this.#tokens = tokens
    this.#grants = grants
  }

  async token(): Promise<string> {
    const { expiresAt, accessToken } = this.#tokens
    if (expiresAt === null || expiresAt - RENEW_AHEAD_MS > Date.now()) {
      return accessToken
    }
    const renewed = await this.renewed(accessToken)
    if (renewed === undefined) {
      throw new LoginProblem('The token has expired, and it came without one to renew it with.')
    }
    return renewed
  }

  async renewed(refused: string): Promise<string | undefined> {
    return this.#contexts.withLock(async () => {
      const { contexts, current } = await this.#contexts.read()
      const context = contexts[this.#name]
      const stored = context?.tokens ?? this.#tokens
      if (stored.accessToken === refused) {
        const renewed = await this.#renew(stored)
        if (!renewed || !context) {
          return undefined
        }
        const changed = { ...contexts, [this.#name]: { ...context, tokens: renewed } }
        await this.#contexts.replace({ current, contexts: changed })
        this.#tokens = renewed
      } else {
        this.#tokens = stored
      }
      return this.#tokens.accessToken
    })
  }

  async #renew({ refreshToken, client }: Tokens): Promise<Tokens | undefined> {
    try {
      if (client) {
        return await this.#grants.byClient(client)
      }
      return refreshToken ? await this.#grants.byRefreshToken(refreshToken) : undefined
    } catch (error) {
      if (error instanceof Problem && error.exitCode === EXIT.login) {
        throw new LoginProblem(`The login of the context "${this.#name}" has ended.`)
      }
      throw error
    }
  }
}
