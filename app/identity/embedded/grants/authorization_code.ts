import { readUser } from '#identity/embedded/accounts'
import { realmOfCode, redeemCode } from '#identity/embedded/authorize/authorization_codes'
import { identifyClient, requireGrantType } from '#identity/embedded/oauth/clients'
import { InvalidClient, InvalidGrant, InvalidRequest } from '#identity/embedded/oauth/oauth_failure'
import { covers } from '#identity/embedded/oauth/scopes'
import { signIdToken } from '#identity/embedded/tokens/id_token'
import { userTokens } from '#identity/embedded/tokens/issue'
import type { Grant } from './grant.js'

/** Tokens for an authorization code of a browser login. */
export const authorizationCodeGrant: Grant = async (request) => {
  const { parameters, credentials, realm, source } = request
  const { code, redirect_uri: redirectUri, code_verifier: verifier } = parameters
  if (code === undefined || redirectUri === undefined || verifier === undefined) {
    throw new InvalidRequest(
      'An authorization_code grant needs code, redirect_uri and code_verifier.'
    )
  }
  const client = await identifyClient(credentials, (await realmOfCode(code)) ?? realm, source)
  if (!client) {
    throw new InvalidClient()
  }
  requireGrantType(client, 'authorization_code')
  const redeemed = await redeemCode(code, { clientId: client.id, redirectUri, verifier }, source)
  const user = redeemed && (await readUser(redeemed.session.userId))
  if (!user?.active) {
    throw InvalidGrant.code()
  }
  const { session } = redeemed!
  const tokens = await userTokens(user, session)
  return covers(session.scope, 'openid')
    ? {
        ...tokens,
        id_token: await signIdToken(user, session.scope, {
          audience: credentials!.id,
          ...redeemed!,
        }),
      }
    : tokens
}
