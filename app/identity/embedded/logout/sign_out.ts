import type { HttpContext } from '@adonisjs/core/http'

import { InvalidLink } from '#identity/embedded/authorize/authorization_failure'
import type { Parameters } from '#identity/embedded/authorize/authorization_request'
import { Browser } from '#identity/embedded/authorize/browser'
import { endLogin, readLogin, type Login } from '#identity/embedded/authorize/login_sessions'
import { showUnusableLink } from '#identity/embedded/authorize/login_page'
import { forbidCaching } from '#identity/embedded/oauth/endpoint'
import { readSignOutRequest, type SignOutRequest } from './sign_out_request.js'
import { showSignedOut, showSignOutForm } from './sign_out_page.js'

/** Ends the login of a browser. Links of other sites may lead here, so a user who is not named has to confirm it. */
export function signOut(ctx: HttpContext): Promise<void> {
  return handleSignOut(ctx, ctx.request.qs())
}

/** The same for parameters in a body: from a client, or from the page that asks. */
export function submitSignOut(ctx: HttpContext): Promise<void> {
  return handleSignOut(ctx, ctx.request.body())
}

async function handleSignOut(ctx: HttpContext, sent: Parameters): Promise<void> {
  forbidCaching(ctx)
  try {
    const request = await readSignOutRequest(sent)
    const browser = new Browser(ctx)
    const login = browser.value === undefined ? undefined : await readLogin(browser.value)
    if (login && !(await isMeant(login, request, browser, sent))) {
      return showSignOutForm(ctx, request, login, await browser.formProof())
    }
    if (login) {
      await endLogin(browser.value!)
      browser.renew()
    }
    sendAway(ctx, request)
  } catch (error) {
    if (error instanceof InvalidLink) {
      return showUnusableLink(ctx, error.message)
    }
    throw error
  }
}

/** Whether the client names the user who is signed in, or the user has answered the question of the page. */
async function isMeant(
  { user }: Login,
  { userId }: SignOutRequest,
  browser: Browser,
  { form }: Parameters
): Promise<boolean> {
  return userId === user.id || (typeof form === 'string' && (await browser.isOwnForm(form)))
}

/** Uses 303, so that the form data is not sent on. */
function sendAway(ctx: HttpContext, { returnTo }: SignOutRequest): void {
  if (!returnTo) {
    return showSignedOut(ctx)
  }
  ctx.response.status(303).header('location', returnTo.href)
  ctx.response.send('')
}
