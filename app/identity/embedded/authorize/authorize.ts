import type { HttpContext } from '@adonisjs/core/http'

import { findRealm, MASTER } from '#identity/embedded/accounts'
import { issuerOf } from '#identity/embedded/addresses'
import { forbidCaching } from '#identity/embedded/oauth/endpoint'
import { servesRealm } from '#identity/embedded/oauth/clients'
import { OAuthFailure } from '#identity/embedded/oauth/oauth_failure'
import { sourceOf } from '#identity/embedded/oauth/request'
import { signInUser } from '#identity/embedded/sign_in/sign_in'
import { clock } from '#runtime/clock'
import {
  readAuthorizationRequest,
  type AuthorizationRequest,
  type Parameters,
} from './authorization_request.js'
import { Browser } from './browser.js'
import { issueCode } from './codes.js'
import { beginLogin, endLogin, readLogin, type Login } from './login_sessions.js'
import { showContinueForm, showLoginForm, showUnusableLink, type Problem } from './pages.js'
import { RequestRefused, UnusableLink } from './refusals.js'

/** A client sends a browser here to find out who uses it. */
export function askForLogin(ctx: HttpContext): Promise<void> {
  return answering(ctx, ctx.request.qs(), async (request) => {
    const browser = new Browser(ctx)
    const login = await loginFor(request, browser)
    if (request.text.prompt === 'none') {
      throw refused(request, login ? 'interaction_required' : 'login_required')
    }
    return login
      ? showContinueForm(ctx, request, await browser.formProof(), login)
      : showLoginForm(ctx, request, await browser.formProof())
  })
}

/** What the user of that browser answers. */
export function takeLogin(ctx: HttpContext): Promise<void> {
  const sent: Parameters = ctx.request.body()
  return answering(ctx, sent, async (request) => {
    const browser = new Browser(ctx)
    const problem = (status: number, message: string) => ({
      ...{ status, message },
      ...{ username: textIn(sent.username), realm: textIn(sent.realm) },
    })
    const askAgain = async (again?: Problem) =>
      showLoginForm(ctx, request, await browser.formProof(), again)
    if (!(await browser.isOwnForm(textIn(sent.form)))) {
      return askAgain(problem(400, 'This form is no longer good. Please try again.'))
    }
    if (sent.action === 'switch') {
      await endLogin(browser.value!)
      browser.renew()
      return askAgain()
    }
    if (sent.action === 'continue') {
      const login = await loginFor(request, browser)
      return login ? finish(ctx, request, login) : askAgain()
    }
    try {
      return await finish(ctx, request, await signIn(ctx, request, sent, browser))
    } catch (error) {
      if (!(error instanceof OAuthFailure)) {
        throw error
      }
      showHeaders(ctx, error)
      return askAgain(problem(error.status, explanationOf(error)))
    }
  })
}

async function answering(
  ctx: HttpContext,
  parameters: Parameters,
  handle: (request: AuthorizationRequest) => Promise<void>
): Promise<void> {
  forbidCaching(ctx)
  try {
    await handle(await readAuthorizationRequest(parameters))
  } catch (error) {
    if (error instanceof UnusableLink) {
      return showUnusableLink(ctx, error.message)
    }
    if (error instanceof RequestRefused) {
      const { redirectUri, issuer, refusal } = error
      const { description, ...rest } = refusal
      return sendBack(ctx, redirectUri, { ...rest, error_description: description, iss: issuer })
    }
    throw error
  }
}

/** Who is signed in with the browser, where that is somebody for this request, and lately enough for it. */
async function loginFor(
  { client, realm, text }: AuthorizationRequest,
  { value }: Browser
): Promise<Login | undefined> {
  const login = value === undefined ? undefined : await readLogin(value)
  if (!login || text.prompt === 'login' || text.prompt === 'select_account') {
    return undefined
  }
  const { realmId } = login.user
  const isMeant = realm ? realm.id === realmId : servesRealm(client, realmId)
  const age = clock.now() - login.signedInAt.getTime()
  return isMeant && age <= Number(text.max_age ?? Infinity) * 1_000 ? login : undefined
}

async function signIn(
  ctx: HttpContext,
  request: AuthorizationRequest,
  sent: Parameters,
  browser: Browser
): Promise<Login> {
  const realm = request.realm ?? (await findRealm(textIn(sent.realm) || MASTER))
  const secrets = { realm, name: textIn(sent.username), password: textIn(sent.password) }
  const user = await signInUser(secrets, sourceOf(ctx))
  await endLogin(browser.value!)
  return beginLogin(browser.renew(), user)
}

async function finish(
  ctx: HttpContext,
  { client, redirectUri, codeChallenge, scope, text }: AuthorizationRequest,
  { id: loginSession, user }: Login
): Promise<void> {
  const code = await issueCode({
    clientId: client.id,
    userId: user.id,
    loginSession,
    redirectUri,
    codeChallenge,
    scope,
    nonce: text.nonce ?? null,
  })
  sendBack(ctx, redirectUri, { code, state: text.state, iss: issuerOf(user.realmName) })
}

/** 303, so that what was typed into the form is not sent along. */
function sendBack(
  { response }: HttpContext,
  redirectUri: string,
  answer: Record<string, string | undefined>
): void {
  const url = new URL(redirectUri)
  for (const [name, value] of Object.entries(answer)) {
    if (value !== undefined) {
      url.searchParams.append(name, value)
    }
  }
  response.status(303).header('location', url.href)
  response.send('')
}

function refused({ redirectUri, text, realm }: AuthorizationRequest, error: string) {
  const description = 'The user would have to be asked, which prompt=none forbids.'
  const issuer = issuerOf(realm?.name ?? MASTER)
  return new RequestRefused(redirectUri, { error, description, state: text.state }, issuer)
}

function explanationOf({ status, message }: OAuthFailure): string {
  return status === 429 ? message : 'The user name or the password is not right.'
}

function showHeaders({ response }: HttpContext, { headers }: OAuthFailure): void {
  for (const [name, value] of Object.entries(headers)) {
    response.header(name, value)
  }
}

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '')
