import type { ApplicationService } from '@adonisjs/core/types'

import { ownClient } from '#configuration/own_client'
import { surfacesOf } from '#configuration/processes'
import { Authenticator } from '#auth/authenticator'
import { IdentityProvider } from '#auth/provider'
import { outsideTransactions } from '#auth/outside_transactions'
import { SharedIntrospections } from '#auth/verification/shared_introspections'
import { TokenVerifier, type VerifierOptions } from '#auth/verification/token_verifier'
import { health } from '#observability/health'
import { connectRedis, type RedisConnection } from '#signals/redis'
import { env } from '#start/env'

/** Short timeouts, since the provider is the fallback for Redis. */
const REDIS_LIMITS = { commandTimeout: 250, connectTimeout: 2_000 }

/**
 * Binds the identity provider: the one at IDENTITY_URL, else the embedded one. Only that one is loaded. It cannot be
 * called while a transaction is open. Opaque tokens are accepted from external providers only.
 */
export default class IdentityWiring {
  #opened: IdentityProvider | undefined
  #redis: RedisConnection | undefined

  constructor(protected app: ApplicationService) {}

  register() {
    const { container } = this.app
    container.singleton(IdentityProvider, async () => {
      this.#opened = await (env.IDENTITY_URL ? this.#remote(env.IDENTITY_URL) : this.#embedded())
      return outsideTransactions(this.#opened)
    })
    container.singleton(Authenticator, async (resolver) => {
      const isElsewhere = env.IDENTITY_URL !== undefined
      const options = { opaqueTokens: isElsewhere, ...(isElsewhere && (await this.#sharing())) }
      const provider = await resolver.make(IdentityProvider)
      const verifier = new TokenVerifier(provider, options)
      await provider.onAccessChange?.((whose) => verifier.invalidate(whose))
      if (isElsewhere) {
        health.watch('identity', () => requireWorking(verifier))
      }
      return verifier
    })
  }

  /** Servers fail at their start if the provider is unusable; the tables are migrated by then. */
  async start() {
    if (this.app.getEnvironment() === 'web') {
      await this.app.container.make(Authenticator)
    }
  }

  async shutdown() {
    await this.#opened?.close()
    this.#redis?.disconnect()
  }

  /** Shares introspections of an external provider between processes through Redis. */
  async #sharing(): Promise<VerifierOptions> {
    if (!env.REDIS_URL) {
      return {}
    }
    const encryption = await this.app.container.make('encryption')
    this.#redis = await connectRedis(env.REDIS_URL, () => {}, REDIS_LIMITS)
    const seal = {
      seal: (value: unknown, purpose: string) => encryption.encrypt(value, { purpose }),
      unseal: (sealed: string, purpose: string) => encryption.decrypt(sealed, purpose),
    }
    return { shared: new SharedIntrospections({ redis: this.#redis, seal }) }
  }

  async #remote(url: string): Promise<IdentityProvider> {
    const { RemoteProvider } = await import('#auth/external/remote_provider')
    return new RemoteProvider({
      url,
      credentials: ownClient(env),
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
    const { wireIdentity } = await import('./identity_services.js')
    wireIdentity(this.app)
    return this.app.container.make(EmbeddedProvider)
  }
}

/** Adds the cause, since the message of the failure is meant for API callers. */
async function requireWorking(verifier: TokenVerifier): Promise<void> {
  await verifier.requireWorking().catch((error: Error) => {
    throw new Error(
      [error.message, (error.cause as Error | undefined)?.message].filter(Boolean).join(': ')
    )
  })
}
