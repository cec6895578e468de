import type { HttpContext } from '@adonisjs/core/http'

import { sendJson } from '#http/send_json'
import { reportDroppedQuery } from '#http/dropped_keys'
import { EntityNotFound, Unauthorized } from '#kernel/failures'
import { readUser } from '#identity/embedded/accounts'
import { forbidCaching } from '#identity/embedded/oauth/endpoint'
import { userClaims } from '#identity/embedded/tokens/id_token'
import { introspect, type ActiveToken } from '#identity/embedded/tokens/introspect'
import { user } from '#identity/users/user'
import { UserService } from '#identity/users/user_service'
import { decode } from '#query/decode'
import { describe } from '#query/describe'
import { originOf } from '#kernel/request_origin'

const BEARER = /^bearer (\S+)$/i

/** The UserInfo response of OpenID Connect. */
export async function showUserinfo(ctx: HttpContext): Promise<void> {
  forbidCaching(ctx)
  const token = BEARER.exec(ctx.request.header('authorization') ?? '')?.[1]
  const activeToken = token === undefined ? undefined : await introspect(token)
  if (!activeToken) {
    throw new Unauthorized()
  }
  sendJson(ctx, { sub: activeToken.claims.sub, ...(await claimsOf(activeToken)) })
}

async function claimsOf({ claims, name, displayName }: ActiveToken) {
  const account = claims.sub_kind === 'user' && (await readUser(claims.sub))
  return account
    ? userClaims(account, claims.scope)
    : {
        name: displayName ?? name,
        preferred_username: name,
        sub_kind: claims.sub_kind,
        realm_id: claims.realm_id,
        realm_name: claims.realm_name,
        client_id: claims.client_id,
      }
}

/** The current user as a record, and again at the top level for clients that read it there. */
export async function showMe(ctx: HttpContext): Promise<void> {
  const actor = ctx.actor!
  if (actor.kind !== 'user') {
    throw new EntityNotFound('user')
  }
  const { selection, dropped } = decode(
    user.declaration,
    ctx.request.parsedUrl.query ?? '',
    'record'
  )
  reportDroppedQuery(ctx, dropped)
  const users = await ctx.containerResolver.make(UserService)
  const data = JSON.parse(await users.read(originOf(ctx), actor.id, selection))
  const meta = { schema: describe(user.declaration).record }
  sendJson(ctx, { ...data, data, meta })
}
