import { decodeJwt, errors, jwtVerify, type JWTHeaderParameters } from 'jose'

import { issuerOf } from '#identity/embedded/addresses'
import { ALGORITHM } from '#identity/embedded/keys/key_store'
import { signingKeys } from '#identity/embedded/keys/signing_keys'
import { clock } from '#kernel/clock'
import type { Claims } from './claims.js'

const MAX_TOKEN_LENGTH = 16_384

/** The claims of a valid token of this kind; undefined for anything else. */
export function verify(token: string, kind: Claims['kind']): Promise<Claims | undefined> {
  return verifyAt(clock.now(), token, kind)
}

/** The same for a token that may have expired: it is verified as of its issue time. */
export async function verifyExpired(
  token: string,
  kind: Claims['kind']
): Promise<Claims | undefined> {
  return verifyAt(issuedAt(token), token, kind)
}

/** Whom an ID token is about, and the client that got it. */
export interface IdTokenSubject {
  readonly sub: string
  readonly aud: string
}

/** The subject of an ID token, which may have expired; undefined for anything else. */
export async function verifyIdToken(token: string): Promise<IdTokenSubject | undefined> {
  const claims = await payloadOf<Claims & IdTokenSubject>(token, issuedAt(token), ['aud'])
  return claims?.kind === undefined && typeof claims?.aud === 'string' ? claims : undefined
}

async function verifyAt(
  time: number,
  token: string,
  kind: Claims['kind']
): Promise<Claims | undefined> {
  const claims = await payloadOf<Claims>(token, time, ['jti', 'kind'])
  return claims?.kind === kind ? claims : undefined
}

async function payloadOf<T extends Claims>(
  token: string,
  time: number,
  requiredClaims: readonly string[]
): Promise<T | undefined> {
  if (token.length > MAX_TOKEN_LENGTH) {
    return undefined
  }
  try {
    const { payload } = await jwtVerify<T>(token, keyOf, {
      algorithms: [ALGORITHM],
      currentDate: new Date(time),
      requiredClaims: ['sub', 'exp', 'realm_id', 'realm_name', ...requiredClaims],
    })
    return payload.iss === issuerOf(payload.realm_name) ? payload : undefined
  } catch (error) {
    if (error instanceof errors.JOSEError) {
      return undefined
    }
    throw error
  }
}

async function keyOf({ kid }: JWTHeaderParameters) {
  const key = kid === undefined ? undefined : await signingKeys().find(kid)
  if (!key) {
    throw new errors.JWKSNoMatchingKey()
  }
  return key
}

function issuedAt(token: string): number {
  try {
    return (decodeJwt(token).iat ?? 0) * 1_000
  } catch {
    return clock.now()
  }
}
