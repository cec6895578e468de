import type { HttpContext } from '@adonisjs/core/http'
import vine from '@vinejs/vine'

import { sendJson } from '#http/send_json'
import { body } from '#kernel/body'
import { requireClient } from '#identity/embedded/oauth/clients'
import { clientCredentialsOf, parametersOf } from '#identity/embedded/oauth/request'
import { introspect, type ActiveToken } from '#identity/embedded/tokens/introspect'
import { revoke } from '#identity/embedded/tokens/revoke'
import { sourceOf } from '#kernel/request_origin'

const parameter = () => vine.string().optional()

/**
 * The body of introspection and revocation. Any holder of the token may send it; client credentials are optional but
 * must be right.
 */
export const tokenInBody = body({
  token: vine.string().minLength(1),
  token_type_hint: parameter(),
  client_id: parameter(),
  client_secret: parameter(),
  realm_id: parameter(),
  realm_name: parameter(),
})

/** Introspects an access token. Refresh tokens are never active for others. */
export async function introspectToken(ctx: HttpContext): Promise<void> {
  const token = await tokenParameter(ctx)
  const activeToken = await introspect(token)
  sendJson(ctx, activeToken ? introspectionOf(activeToken) : { active: false })
}

/** Revokes a token. The response does not reveal whether it was valid (RFC 7009). */
export async function revokeToken(ctx: HttpContext): Promise<void> {
  await revoke(await tokenParameter(ctx))
  ctx.response.status(200).send(null)
}

function introspectionOf({ claims, name, displayName, permissions }: ActiveToken) {
  return {
    active: true,
    ...claims,
    client_id: claims.client_id ?? null,
    token_type: 'Bearer',
    sub_name: name,
    name: displayName ?? name,
    username: name,
    permissions,
  }
}

async function tokenParameter(ctx: HttpContext): Promise<string> {
  const parameters = await parametersOf(ctx, tokenInBody)
  const credentials = clientCredentialsOf(ctx, parameters)
  if (credentials?.secret !== undefined) {
    await requireClient(credentials, parameters.realm_id ?? parameters.realm_name, sourceOf(ctx))
  }
  return parameters.token
}
