import { findRealm, MASTER } from '#identity/embedded/accounts'
import { identifyClient, requireGrantType, servesRealm } from '#identity/embedded/oauth/clients'
import { InvalidRequest, UnauthorizedClient } from '#identity/embedded/oauth/oauth_failure'
import { grantedScope } from '#identity/embedded/oauth/scopes'
import { signInUser } from '#identity/embedded/sign_in/sign_in'
import { userTokens } from '#identity/embedded/tokens/issue'
import { startSession, sessionOrigin } from '#identity/embedded/tokens/token_sessions'
import type { Grant } from './grant.js'

/** Tokens for a user name and password. A client is optional; if named, it has to authenticate unless it is public. */
export const passwordGrant: Grant = async ({ parameters, credentials, realm, source }) => {
  const { username, password, scope } = parameters
  if (username === undefined || password === undefined) {
    throw new InvalidRequest('A password grant needs username and password.')
  }
  const client = await identifyClient(credentials, realm, source)
  const realmRecord = await findRealm(realm ?? MASTER)
  if (client) {
    requireGrantType(client, 'password')
    if (realmRecord && !servesRealm(client, realmRecord.id)) {
      throw new UnauthorizedClient()
    }
  }
  const user = await signInUser({ realm: realmRecord, name: username, password }, source)
  const session = await startSession(
    { userId: user.id, clientId: client?.id ?? null, scope: grantedScope(scope) },
    sessionOrigin(source)
  )
  return userTokens(user, session)
}
