import { texts } from '#http/texts'
import { BadRequest } from '#kernel/failures'
import { readUser } from '#identity/embedded/accounts'
import { startLogin, endLogin, type Login } from '#identity/embedded/authorize/login_sessions'
import { grantedPermissionNames } from '#identity/embedded/granted_permissions'
import { InvalidCredentials } from '#identity/embedded/oauth/oauth_failure'
import { signInUser } from '#identity/embedded/sign_in/sign_in'
import { user } from '#identity/users/user'
import { UserService } from '#identity/users/user_service'
import type { Origin } from '#kernel/origin'
import { sourceOf } from '#kernel/request_origin'
import type { AccountRequest } from './account_request.js'

/** Changes the display name and mail address of a user. Empty fields are cleared. */
export async function changeProfile({ ctx, login, sent }: AccountRequest): Promise<void> {
  const change = await user.updateBody!.validate({
    displayName: textOrNull(sent.display_name),
    email: textOrNull(sent.email),
  })
  const users = await ctx.containerResolver.make(UserService)
  await users.update(await originOf(ctx, login), login.user.id, change)
}

/** Changes the password after checking the current one. Ends all sessions except that of the browser. */
export async function changePassword({ ctx, browser, login, sent }: AccountRequest): Promise<void> {
  const { current, password, repeated } = sent
  if (typeof current !== 'string' || typeof password !== 'string' || password !== repeated) {
    throw new BadRequest(texts.get('account.password.differ'))
  }
  const change = await user.updateBody!.validate({ password })
  const { name, id, realmId, realmName } = login.user
  await requireCurrent({ realm: { id: realmId, name: realmName }, name, password: current }, ctx)
  const users = await ctx.containerResolver.make(UserService)
  await users.update(await originOf(ctx, login), id, change)
  await endLogin(browser.value!)
  await startLogin(browser.renew(), (await readUser(id))!, sourceOf(ctx))
}

async function requireCurrent(
  secrets: Parameters<typeof signInUser>[0],
  ctx: AccountRequest['ctx']
): Promise<void> {
  try {
    await signInUser(secrets, sourceOf(ctx))
  } catch (error) {
    throw error instanceof InvalidCredentials
      ? new BadRequest(texts.get('account.password.wrong'), { cause: error })
      : error
  }
}

/** The origin of a change, with the current permissions of the user. */
async function originOf(ctx: AccountRequest['ctx'], { user: account }: Login): Promise<Origin> {
  const { kind, id, name, realmId, realmName } = account
  const actor = {
    ...{ kind, id, name, realmId, realmName, clientId: null },
    permissions: new Set(await grantedPermissionNames('user', id)),
    expiresAt: Number.MAX_SAFE_INTEGER,
  }
  return { actor, ...sourceOf(ctx) }
}

const textOrNull = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null)
