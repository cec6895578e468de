import { decodeJwt, decodeProtectedHeader, errors, jwtVerify, type JWTPayload } from 'jose'

import type { IdentityProvider } from '#auth/provider'
import { clock } from '#kernel/clock'

import { ProviderKeys } from './provider_keys.js'
import { isAccessToken } from './token_kind.js'

const JWT_FORM = /^[\w-]+\.[\w-]+\.[\w-]*$/

/** Asymmetric algorithms only, without `none` and shared secrets. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
]
const TYPES = [undefined, 'jwt', 'at+jwt', 'application/at+jwt']
const CLOCK_TOLERANCE_S = 5

export type Claims = JWTPayload & { sub: string; exp: number }

/** Whether a token has the form of a JWT. Others are opaque. */
export function isJwt(token: string): boolean {
  return JWT_FORM.test(token)
}

/** Verifies JWTs locally, so that forged ones never reach the provider. */
export class SignedTokens {
  readonly #keys: ProviderKeys

  constructor(provider: Pick<IdentityProvider, 'metadata'>) {
    this.#keys = new ProviderKeys(provider)
  }

  /** Resolves when signatures can be verified. Throws if the provider offers no keys now. */
  requireKeys(): Promise<void> {
    return this.#keys.require()
  }

  /** The claims of a valid access token of the provider; undefined for any other. */
  async claimsOf(token: string): Promise<Claims | undefined> {
    const unverified = readHeader(token)
    const keys = unverified && (await this.#keys.for(unverified))
    if (!keys) {
      return undefined
    }
    try {
      const { payload } = await jwtVerify(token, keys, {
        algorithms: ALGORITHMS,
        requiredClaims: ['sub', 'exp'],
        clockTolerance: CLOCK_TOLERANCE_S,
        currentDate: new Date(clock.now()),
      })
      return isAccessToken(payload) ? (payload as Claims) : undefined
    } catch (error) {
      if (error instanceof errors.JOSEError) {
        return undefined
      }
      throw error
    }
  }
}

/** The key id and issuer of a token whose header is acceptable. */
function readHeader(token: string): { kid: unknown; iss: unknown } | undefined {
  try {
    const { alg, typ, kid } = decodeProtectedHeader(token)
    const isAcceptable = ALGORITHMS.includes(alg ?? '') && TYPES.includes(typ?.toLowerCase())
    return isAcceptable ? { kid, iss: decodeJwt(token).iss } : undefined
  } catch {
    return undefined
  }
}
