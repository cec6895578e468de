import { SignJWT, type JWTPayload } from 'jose'

import { issuerOf } from '#identity/embedded/addresses'
import { ALGORITHM } from '#identity/embedded/keys/key_store'
import { signingKeys } from '#identity/embedded/keys/signing_keys'
import { clock } from '#kernel/clock'
import type { Claims, Subject } from './claims.js'

/** Signs an access or refresh token. */
export function signToken(
  subject: Subject,
  claims: Pick<Claims, 'kind' | 'scope' | 'jti' | 'client_id' | 'sid' | 'generation'>,
  seconds: number
): Promise<string> {
  return sign(
    subject,
    {
      sub_kind: subject.kind,
      realm_id: subject.realmId,
      realm_name: subject.realmName,
      ...claims,
    },
    seconds
  )
}

/** Signs any claims about a subject with the current key, as the issuer of its realm. */
export async function sign(
  { id, realmName }: Subject,
  payload: JWTPayload,
  seconds: number,
  typ = 'JWT'
): Promise<string> {
  const { kid, privateKey } = await signingKeys().current()
  const now = Math.floor(clock.now() / 1000)
  return new SignJWT({
    ...payload,
    iss: issuerOf(realmName),
    sub: id,
    iat: now,
    exp: now + seconds,
  })
    .setProtectedHeader({ alg: ALGORITHM, typ, kid })
    .sign(privateKey)
}
