import type { ApplicationService } from '@adonisjs/core/types'

import { surfacesOf } from '#configuration/processes'
import type { IdentityProvider } from '#identity/provider'
import { outsideTransactions } from '#identity/lifecycle/outside_transactions'
import { TokenVerifier } from '#identity/verification/token_verifier'
import { env } from '#start/env'

declare module '@adonisjs/core/types' {
  interface ContainerBindings {
    /** Whom the platform believes about identities. It cannot be called while a transaction is open. */
    identity: IdentityProvider
  }
}

/**
 * Wires the identity provider: the one at IDENTITY_URL, else the embedded one. Only the one that is used is loaded. Tokens
 * that only their provider can read are accepted from providers elsewhere; the embedded one makes none.
 */
export default class IdentityWiring {
  #opened: IdentityProvider | undefined

  constructor(protected app: ApplicationService) {}

  register() {
    const { container } = this.app
    container.singleton('identity', async () => {
      this.#opened = await (env.IDENTITY_URL ? this.#remote(env.IDENTITY_URL) : this.#embedded())
      return outsideTransactions(this.#opened)
    })
    container.singleton('authenticator', async (resolver) => {
      const opaqueTokens = env.IDENTITY_URL !== undefined
      const provider = await resolver.make('identity')
      const verifier = new TokenVerifier(provider, { opaqueTokens })
      await provider.onStanding?.((whose) => verifier.forget(whose))
      return verifier
    })
  }

  /** A process that works finds out at its start what is wrong; its tables are up to date by then. */
  async start() {
    if (this.app.getEnvironment() === 'web') {
      await this.app.container.make('identity')
    }
  }

  async shutdown() {
    await this.#opened?.close()
  }

  async #remote(url: string): Promise<IdentityProvider> {
    const { RemoteProvider } = await import('#identity/external/remote_provider')
    return new RemoteProvider({
      url,
      credentials: { clientId: env.CLIENT_ID, clientSecret: env.CLIENT_SECRET },
      realm: env.REALM,
      introspectionAuth: env.IDENTITY_INTROSPECTION_AUTH,
      claims: {
        realmId: env.IDENTITY_CLAIM_REALM_ID,
        realmName: env.IDENTITY_CLAIM_REALM_NAME,
        kind: env.IDENTITY_CLAIM_KIND,
        permissions: env.IDENTITY_CLAIM_PERMISSIONS,
      },
      redisUrl: env.REDIS_URL,
      logger: await this.app.container.make('logger'),
    })
  }

  async #embedded(): Promise<IdentityProvider> {
    const { EmbeddedProvider } = await import('#identity/embedded/embedded_provider')
    if (surfacesOf(env).includes('identity')) {
      const { seedIdentity } = await import('#identity/embedded/seeds')
      await seedIdentity()
    }
    return new EmbeddedProvider()
  }
}
