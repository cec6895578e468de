import type { HttpContext } from '@adonisjs/core/http'

import { sendJson } from '#http/send_json'
import { EntityNotFound } from '#kernel/failures'
import { findRealm, MASTER } from '#identity/embedded/accounts'
import { issuerOf, providerUrl } from '#identity/embedded/addresses'
import { ALGORITHM } from '#identity/embedded/keys/key_store'
import { signingKeys } from '#identity/embedded/keys/signing_keys'
import { SCOPES } from '#identity/embedded/oauth/scopes'
import { GRANTS } from './token.js'

/** All realms share the signing keys; their tokens differ in the issuer. */
export async function showKeys(ctx: HttpContext): Promise<void> {
  sendJson(ctx, { keys: await signingKeys().published() })
}

/** The discovery document without a realm: users of any realm can sign in. */
export function showConfiguration(ctx: HttpContext): void {
  sendJson(ctx, configuration(MASTER, `${providerUrl()}/authorize`))
}

/** The discovery document of a realm, in which users then sign in. */
export async function showRealmConfiguration(ctx: HttpContext): Promise<void> {
  const { name } = await requireRealmOf(ctx)
  sendJson(ctx, configuration(name, `${providerUrl()}/authorize?realm_name=${name}`))
}

export async function showRealmKeys(ctx: HttpContext): Promise<void> {
  await requireRealmOf(ctx)
  return showKeys(ctx)
}

async function requireRealmOf({ params }: HttpContext) {
  const realm = await findRealm(params.realm)
  if (!realm) {
    throw new EntityNotFound('realm')
  }
  return realm
}

function configuration(realm: string, authorization: string) {
  const issuer = issuerOf(realm)
  const authMethods = ['client_secret_basic', 'client_secret_post', 'none']
  return {
    issuer,
    authorization_endpoint: authorization,
    token_endpoint: `${providerUrl()}/token`,
    introspection_endpoint: `${providerUrl()}/token/introspect`,
    revocation_endpoint: `${providerUrl()}/token/revoke`,
    end_session_endpoint: `${providerUrl()}/logout`,
    userinfo_endpoint: `${providerUrl()}/userinfo`,
    jwks_uri: `${issuer}/jwks`,
    scopes_supported: SCOPES,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: [...GRANTS.keys()],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [ALGORITHM],
    token_endpoint_auth_methods_supported: authMethods,
    introspection_endpoint_auth_methods_supported: authMethods,
    revocation_endpoint_auth_methods_supported: authMethods,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    claims_supported: [
      'sub',
      'name',
      'preferred_username',
      'given_name',
      'family_name',
      'email',
      'sub_kind',
      'realm_id',
      'realm_name',
    ],
  }
}
