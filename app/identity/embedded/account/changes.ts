import { BadRequest } from '#kernel/failures'
import { readUser } from '#identity/embedded/accounts'
import { beginLogin, endLogin, type Login } from '#identity/embedded/authorize/login_sessions'
import { heldNames } from '#identity/embedded/held_permissions'
import { InvalidCredentials } from '#identity/embedded/oauth/oauth_failure'
import { signInUser } from '#identity/embedded/sign_in/sign_in'
import { user } from '#identity/users/user'
import { UserService } from '#identity/users/user_service'
import type { Origin } from '#kernel/origin'
import { sourceOf } from '#kernel/request_origin'
import type { Visit } from './visit.js'

/** Changes how a user is called and written to; what is left empty is taken away. */
export async function changeProfile({ ctx, login, sent }: Visit): Promise<void> {
  const change = await user.updateBody!.validate({
    displayName: filled(sent.display_name),
    email: filled(sent.email),
  })
  const users = await ctx.containerResolver.make(UserService)
  await users.update(await originOf(ctx, login), login.user.id, change)
}

/** Changes the password of a user who knows the one of now, which ends all sessions but that of the browser. */
export async function changePassword({ ctx, browser, login, sent }: Visit): Promise<void> {
  const { current, password, repeated } = sent
  if (typeof current !== 'string' || typeof password !== 'string' || password !== repeated) {
    throw new BadRequest('The new password was not repeated as it is.')
  }
  const change = await user.updateBody!.validate({ password })
  const { name, id, realmId, realmName } = login.user
  await requireCurrent({ realm: { id: realmId, name: realmName }, name, password: current }, ctx)
  const users = await ctx.containerResolver.make(UserService)
  await users.update(await originOf(ctx, login), id, change)
  await endLogin(browser.value!)
  await beginLogin(browser.renew(), (await readUser(id))!, sourceOf(ctx))
}

async function requireCurrent(
  secrets: Parameters<typeof signInUser>[0],
  ctx: Visit['ctx']
): Promise<void> {
  try {
    await signInUser(secrets, sourceOf(ctx))
  } catch (error) {
    throw error instanceof InvalidCredentials
      ? new BadRequest('The current password is not right.', { cause: error })
      : error
  }
}

/** A user acts here as with a token: with the permissions that are held now. */
async function originOf(ctx: Visit['ctx'], { user: account }: Login): Promise<Origin> {
  const { kind, id, name, realmId, realmName } = account
  const actor = {
    ...{ kind, id, name, realmId, realmName, clientId: null },
    permissions: new Set(await heldNames('user', id)),
    expiresAt: Number.MAX_SAFE_INTEGER,
  }
  return { actor, ...sourceOf(ctx) }
}

const filled = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null)
