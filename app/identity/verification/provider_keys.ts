import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose'

import type { IdentityProvider } from '#identity/provider'
import { clock } from '#runtime/clock'

import { SingleFlight } from './single_flight.js'

const REFRESH_AT_MOST_EVERY_MS = 60_000

interface Known {
  readonly keys: JWTVerifyGetKey
  readonly ids: ReadonlySet<unknown>
  readonly issuers: readonly string[] | 'any'
  readonly readAt: number
}

/**
 * The provider's keys and issuers, kept in memory. They are read again for a token that names one that is not known, at
 * most once a minute, so that made-up tokens cannot keep the provider busy.
 */
export class ProviderKeys {
  readonly #provider: Pick<IdentityProvider, 'metadata'>
  readonly #readings = new SingleFlight<'metadata', Known>()
  #known: Known | undefined

  constructor(provider: Pick<IdentityProvider, 'metadata'>) {
    this.#provider = provider
  }

  /** The keys a token may be signed with; undefined where the provider does not go by that issuer. */
  async for({ kid, iss }: { kid: unknown; iss: unknown }): Promise<JWTVerifyGetKey | undefined> {
    let known = this.#known ?? (await this.#read())
    if (!(hasKey(known, kid) && hasIssuer(known, iss)) && isDue(known)) {
      known = await this.#read()
    }
    return hasIssuer(known, iss) ? known.keys : undefined
  }

  #read(): Promise<Known> {
    return this.#readings.run('metadata', async () => {
      const readAt = clock.now()
      const { keys, issuers } = await this.#provider.metadata()
      this.#known = {
        keys: createLocalJWKSet({ keys } as unknown as JSONWebKeySet),
        ids: new Set(keys.map(({ kid }) => kid)),
        issuers,
        readAt,
      }
      return this.#known
    })
  }
}

function isDue({ readAt }: Known): boolean {
  return clock.now() - readAt >= REFRESH_AT_MOST_EVERY_MS
}

function hasKey({ ids }: Known, kid: unknown): boolean {
  return kid === undefined || ids.has(kid)
}

/** A realm's tokens are issued by an address of its own, below that of the provider. */
function hasIssuer({ issuers }: Known, iss: unknown): boolean {
  if (issuers === 'any') {
    return true
  }
  return typeof iss === 'string' && (issuers.includes(iss) || issuers.includes(aboveRealm(iss)))
}

function aboveRealm(issuer: string): string {
  return issuer.replace(/\/realms\/[^/]+\/?$/, '')
}
