import { Transport } from '#client/transport'
import type { IdentityProvider } from './provider.js'

/** A surface of another process, and the provider that issues tokens for it. */
export interface RemoteSurface {
  readonly url: string
  readonly provider: Pick<IdentityProvider, 'ownToken' | 'introspect'>
}

/** Sends requests to a surface of another process as the platform. */
export function transportTo({ provider }: Pick<RemoteSurface, 'provider'>): Transport {
  return new Transport({
    credentials: {
      token: () => provider.ownToken(),
      async renewed(refused) {
        // Introspecting a revoked token makes the provider replace it.
        await provider.introspect(refused!)
        return provider.ownToken()
      },
    },
  })
}
