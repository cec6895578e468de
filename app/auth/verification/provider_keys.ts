import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose'

import type { IdentityProvider } from '#auth/provider'
import { clock } from '#kernel/clock'

import { SingleFlight } from '#kernel/single_flight'

/** How many unknown keys trigger a refresh in quick succession, and the interval after which another one is allowed. */
const REFRESH_BURST = 5
const REFRESH_INTERVAL_MS = 20_000

interface KeySet {
  readonly keys: JWTVerifyGetKey
  readonly ids: ReadonlySet<unknown>
  readonly issuers: readonly string[] | 'any'
}

/**
 * The provider's keys and issuers, cached in memory. A token with an unknown key or issuer triggers a refresh, because
 * a realm may be new. Refreshes are rate limited, so that forged tokens cannot load the provider.
 */
export class ProviderKeys {
  readonly #provider: Pick<IdentityProvider, 'metadata'>
  readonly #readings = new SingleFlight<'metadata', KeySet>()
  #keySet: KeySet | undefined
  /** When the full burst is available again. */
  #fullAgainAt = 0

  constructor(provider: Pick<IdentityProvider, 'metadata'>) {
    this.#provider = provider
  }

  /** The keys for a token; undefined for an unknown issuer. */
  async for({ kid, iss }: { kid: unknown; iss: unknown }): Promise<JWTVerifyGetKey | undefined> {
    let keySet = this.#keySet ?? (await this.#read())
    if (!(hasKey(keySet, kid) && hasIssuer(keySet, iss)) && this.#mayRefresh()) {
      keySet = await this.#read()
    }
    return hasIssuer(keySet, iss) ? keySet.keys : undefined
  }

  /** Resolves when keys are loaded. Throws if they cannot be read now. */
  async require(): Promise<void> {
    if (!this.#keySet) {
      await this.#read()
    }
  }

  /** Concurrent callers share one request. */
  #mayRefresh(): boolean {
    if (this.#readings.isUnderWay('metadata')) {
      return true
    }
    const now = clock.now()
    const fullAgainAt = Math.max(this.#fullAgainAt, now) + REFRESH_INTERVAL_MS
    if (fullAgainAt > now + REFRESH_BURST * REFRESH_INTERVAL_MS) {
      return false
    }
    this.#fullAgainAt = fullAgainAt
    return true
  }

  #read(): Promise<KeySet> {
    return this.#readings.run('metadata', async () => {
      const { keys, issuers } = await this.#provider.metadata()
      this.#keySet = {
        keys: createLocalJWKSet({ keys } as unknown as JSONWebKeySet),
        ids: new Set(keys.map(({ kid }) => kid)),
        issuers,
      }
      return this.#keySet
    })
  }
}

function hasKey({ ids }: KeySet, kid: unknown): boolean {
  return kid === undefined || ids.has(kid)
}

/** The issuer of a realm is an address below that of the provider. */
function hasIssuer({ issuers }: KeySet, iss: unknown): boolean {
  if (issuers === 'any') {
    return true
  }
  return typeof iss === 'string' && (issuers.includes(iss) || issuers.includes(aboveRealm(iss)))
}

function aboveRealm(issuer: string): string {
  return issuer.replace(/\/realms\/[^/]+\/?$/, '')
}
