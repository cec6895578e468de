import { accessChangesDelivered } from '#identity/embedded/access_changes'
import { identityPool } from '#identity/embedded/database'
import type { Claims } from './claims.js'
import { endSession } from './token_sessions.js'
import { verify } from './verify.js'

/** Revokes an access token, or the whole session of a refresh token. Ignores anything else. */
export async function revoke(token: string): Promise<void> {
  const access = await verify(token, 'access_token')
  if (access) {
    return revokeAccessToken(access)
  }
  const refresh = await verify(token, 'refresh_token')
  if (refresh?.sid !== undefined) {
    await endSession(refresh.sid)
  }
}

/** The revocation is stored until the token expires. */
async function revokeAccessToken({ jti, exp }: Claims): Promise<void> {
  await identityPool().query(
    `insert into identity_revoked_tokens (id, expires_at) values ($1, $2) on conflict do nothing`,
    [jti, new Date(exp * 1000)]
  )
  await accessChangesDelivered()
}
