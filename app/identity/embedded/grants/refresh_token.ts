import { readClient, readUser, type ClientAccount } from '#identity/embedded/accounts'
import { identifyClient } from '#identity/embedded/oauth/clients'
import { InvalidGrant, InvalidRequest } from '#identity/embedded/oauth/oauth_failure'
import type { Claims } from '#identity/embedded/tokens/claims'
import { userTokens } from '#identity/embedded/tokens/issue'
import { endSession, readSession, renewSession } from '#identity/embedded/tokens/token_sessions'
import { verify } from '#identity/embedded/tokens/verify'
import type { RequestSource } from '#kernel/origin'
import { recordSignIn } from '#audit/record_security_event'
import type { Grant } from './grant.js'

/**
 * Rotates a refresh token. Reuse after a short grace period means that it or its successor was stolen, and ends the
 * session. A public client need not identify itself: the session names it.
 */
export const refreshTokenGrant: Grant = async ({ parameters, credentials, realm, source }) => {
  if (parameters.refresh_token === undefined) {
    throw new InvalidRequest('A refresh_token grant needs refresh_token.')
  }
  const claims = await verify(parameters.refresh_token, 'refresh_token')
  const session = claims?.sid === undefined ? undefined : await readSession(claims.sid)
  const sessionClient =
    typeof session?.clientId === 'string' ? await readClient(session.clientId) : undefined
  const client = credentials
    ? await identifyClient(credentials, sessionClient?.realmId ?? realm, source)
    : withoutSecret(sessionClient)
  const user = session && (await readUser(session.userId))
  if (!claims || !session || !user || belongsToAnother(session.clientId, client?.id)) {
    throw InvalidGrant.refreshToken()
  }
  const renewed = await renewSession(claims)
  if (!renewed) {
    await endReused(claims, source)
    throw InvalidGrant.refreshToken()
  }
  return userTokens(user, renewed)
}

function withoutSecret(client: ClientAccount | undefined): ClientAccount | undefined {
  return client?.active && client.authMethod === 'none' ? client : undefined
}

function belongsToAnother(owner: string | null, client: string | undefined): boolean {
  return owner !== null && owner !== client
}

async function endReused({ sid, sub: id, realm_id: realmId }: Claims, source: RequestSource) {
  if (await endSession(sid!)) {
    await recordSignIn('refreshTokenReused', { kind: 'user', id, realmId }, source)
  }
}
