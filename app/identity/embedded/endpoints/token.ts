import type { HttpContext } from '@adonisjs/core/http'

import { sendJson } from '#http/send_json'
import { authorizationCodeGrant } from '#identity/embedded/grants/authorization_code'
import { clientCredentialsGrant } from '#identity/embedded/grants/client_credentials'
import { tokenBody, type Grant } from '#identity/embedded/grants/grant'
import { passwordGrant } from '#identity/embedded/grants/password'
import { refreshTokenGrant } from '#identity/embedded/grants/refresh_token'
import { UnsupportedGrant } from '#identity/embedded/oauth/oauth_failure'
import { clientCredentialsOf, parametersOf } from '#identity/embedded/oauth/request'
import { sourceOf } from '#kernel/request_origin'

export const GRANTS: ReadonlyMap<string, Grant> = new Map([
  ['authorization_code', authorizationCodeGrant],
  ['client_credentials', clientCredentialsGrant],
  ['password', passwordGrant],
  ['refresh_token', refreshTokenGrant],
])

/** Issues tokens for one of the supported grants. */
export async function issueTokens(ctx: HttpContext): Promise<void> {
  const parameters = await parametersOf(ctx, tokenBody)
  const grant = GRANTS.get(parameters.grant_type)
  if (!grant) {
    throw new UnsupportedGrant()
  }
  const tokens = await grant({
    parameters,
    credentials: clientCredentialsOf(ctx, parameters),
    realm: parameters.realm_id ?? parameters.realm_name,
    source: sourceOf(ctx),
  })
  sendJson(ctx, tokens)
}
