import type { Credentials } from '#client/credentials'
import type { Contexts, Tokens } from '#hubctl/settings/contexts'
import { LoginProblem, Problem } from '#hubctl/problem'
import { EXIT } from '#hubctl/exit_codes'
import type { TokenClient } from './token_client.js'

/** Tokens are renewed this long before they expire, so that they last for the request. */
const RENEW_AHEAD_MS = 20_000

/** The login stored with a context. Only one process renews its token at a time. */
export class StoredSession implements Credentials {
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
      throw new LoginProblem('The token has expired and cannot be renewed.')
    }
    return renewed
  }

  async renewed(refused: string | undefined): Promise<string | undefined> {
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
