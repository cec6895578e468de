import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose'

import type { IdentityProvider } from '#auth/provider'
import { clock } from '#kernel/clock'

import { SingleFlight } from './single_flight.js'

/** So many tokens with a key that is not known have it looked up at once; each look comes back in its time. */
const REFRESH_BURST = 5
const REFRESH_INTERVAL_MS = 20_000

interface KeySet {
  readonly keys: JWTVerifyGetKey
  readonly ids: ReadonlySet<unknown>
  readonly issuers: readonly string[] | 'any'
}

/**
 * The provider's keys and issuers, kept in memory. They are read again at once for a token that names one that is not known,
 * because a realm may be younger than they are; a few times only, so that made-up tokens cannot keep the provider busy.
 */
export class ProviderKeys {
  readonly #provider: Pick<IdentityProvider, 'metadata'>
  readonly #readings = new SingleFlight<'metadata', KeySet>()
  #keySet: KeySet | undefined
  /** When the last of the looks that are used up comes back. */
  #fullAgainAt = 0

  constructor(provider: Pick<IdentityProvider, 'metadata'>) {
    this.#provider = provider
  }

  /** The keys a token may be signed with; undefined where the provider does not go by that issuer. */
  async for({ kid, iss }: { kid: unknown; iss: unknown }): Promise<JWTVerifyGetKey | undefined> {
    let keySet = this.#keySet ?? (await this.#read())
    if (!(hasKey(keySet, kid) && hasIssuer(keySet, iss)) && this.#mayRefresh()) {
      keySet = await this.#read()
    }
    return hasIssuer(keySet, iss) ? keySet.keys : undefined
  }

  /** Returns once there are keys; throws where they cannot be read now. */
  async require(): Promise<void> {
    if (!this.#keySet) {
      await this.#read()
    }
  }

  /** Callers that come while a request is under way share its answer. */
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

/** A realm's tokens are issued by an address of its own, below that of the provider. */
function hasIssuer({ issuers }: KeySet, iss: unknown): boolean {
  if (issuers === 'any') {
    return true
  }
  return typeof iss === 'string' && (issuers.includes(iss) || issuers.includes(aboveRealm(iss)))
}

function aboveRealm(issuer: string): string {
  return issuer.replace(/\/realms\/[^/]+\/?$/, '')
}
