import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose'

import type { IdentityProvider } from '#auth/provider'
import { clock } from '#kernel/clock'

import { SingleFlight } from './single_flight.js'

/** So many tokens with a key that is not known have it looked up at once; each look comes back in its time. */
const LOOKS = 5
const LOOK_BACK_EVERY_MS = 20_000

interface Known {
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
  readonly #readings = new SingleFlight<'metadata', Known>()
  #known: Known | undefined
  /** When the last of the looks that are used up comes back. */
  #whole = 0

  constructor(provider: Pick<IdentityProvider, 'metadata'>) {
    this.#provider = provider
  }

  /** The keys a token may be signed with; undefined where the provider does not go by that issuer. */
  async for({ kid, iss }: { kid: unknown; iss: unknown }): Promise<JWTVerifyGetKey | undefined> {
    let known = this.#known ?? (await this.#read())
    if (!(hasKey(known, kid) && hasIssuer(known, iss)) && this.#mayLook()) {
      known = await this.#read()
    }
    return hasIssuer(known, iss) ? known.keys : undefined
  }

  /** Returns once there are keys; throws where they cannot be read now. */
  async require(): Promise<void> {
    if (!this.#known) {
      await this.#read()
    }
  }

  /** Callers that come while a request is under way share its answer. */
  #mayLook(): boolean {
    if (this.#readings.isUnderWay('metadata')) {
      return true
    }
    const now = clock.now()
    const whole = Math.max(this.#whole, now) + LOOK_BACK_EVERY_MS
    if (whole > now + LOOKS * LOOK_BACK_EVERY_MS) {
      return false
    }
    this.#whole = whole
    return true
  }

  #read(): Promise<Known> {
    return this.#readings.run('metadata', async () => {
      const { keys, issuers } = await this.#provider.metadata()
      this.#known = {
        keys: createLocalJWKSet({ keys } as unknown as JSONWebKeySet),
        ids: new Set(keys.map(({ kid }) => kid)),
        issuers,
      }
      return this.#known
    })
  }
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
