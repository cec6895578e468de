import type { ClientAccount } from '#identity/embedded/accounts'
import type { TokenAnswer } from '#identity/embedded/grants/grant'
import { identitySettings } from '#identity/identity_settings'
import { clock } from '#kernel/clock'
import type { Subject } from './claims.js'
import { signToken } from './sign.js'
import type { TokenSession } from './token_sessions.js'

/** Issues the tokens of a user for a session. */
export async function userTokens(user: Subject, session: TokenSession): Promise<TokenAnswer> {
  const { id: sid, clientId, scope, refreshId } = session
  const { accessTokenSeconds, refreshTokenSeconds } = identitySettings()
  const shared = { scope, sid, ...(clientId !== null && { client_id: clientId }) }
  const [access, refresh] = await Promise.all([
    signToken(user, { kind: 'access_token', jti: clock.uuid(), ...shared }, accessTokenSeconds),
    signToken(user, { kind: 'refresh_token', jti: refreshId, ...shared }, refreshTokenSeconds),
  ])
  return {
    access_token: access,
    expires_in: accessTokenSeconds,
    token_type: 'Bearer',
    scope,
    refresh_token: refresh,
    refresh_token_expires_in: refreshTokenSeconds,
  }
}

/** Issues the token of a client. There is no refresh token, since it can request another one at any time. */
export async function clientToken(client: ClientAccount, scope: string): Promise<TokenAnswer> {
  const { id, tokenGeneration: generation } = client
  const identity = { client_id: id, generation }
  const { accessTokenSeconds } = identitySettings()
  const claims = { kind: 'access_token', jti: clock.uuid(), scope, ...identity } as const
  return {
    access_token: await signToken(client, claims, accessTokenSeconds),
    expires_in: accessTokenSeconds,
    token_type: 'Bearer',
    scope,
  }
}
