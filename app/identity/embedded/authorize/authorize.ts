import type { HttpContext } from '@adonisjs/core/http'

import { findRealm, MASTER } from '#identity/embedded/accounts'
import { issuerOf } from '#identity/embedded/addresses'
import { servesRealm } from '#identity/embedded/oauth/clients'
import { forbidCaching } from '#identity/embedded/oauth/endpoint'
import { OAuthFailure } from '#identity/embedded/oauth/oauth_failure'
import { signInUser } from '#identity/embedded/sign_in/sign_in'
import { sourceOf } from '#kernel/request_origin'
import { clock } from '#kernel/clock'
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

/** A browser that is here for a client. */
interface Visit {
  readonly ctx: HttpContext
  readonly request: AuthorizationRequest
  readonly browser: Browser
  readonly sent: Parameters
}

/** A client sends a browser here to find out who uses it. */
export function askForLogin(ctx: HttpContext): Promise<void> {
  return visited(ctx, ctx.request.qs(), async (visit) => {
    const login = await loginFor(visit)
    if (visit.request.text.prompt === 'none') {
      throw refused(visit.request, login ? 'interaction_required' : 'login_required')
    }
    return login ? askToContinue(visit, login) : ask(visit)
  })
}

/** What the user of that browser answers. */
export function takeLogin(ctx: HttpContext): Promise<void> {
  return visited(ctx, ctx.request.body(), async (visit) => {
    const { browser, sent } = visit
    if (!(await browser.isOwnForm(textIn(sent.form)))) {
      return ask(visit, problemWith(sent, 400, 'This form is no longer good. Please try again.'))
    }
    switch (sent.action) {
      case 'continue': {
        const login = await loginFor(visit)
        return login ? finish(visit, login) : ask(visit)
      }
      case 'switch':
        await endLogin(browser.value!)
        browser.renew()
        return ask(visit)
      default:
        return signIn(visit)
    }
  })
}

/** Refusals go to the client where there is one to tell, else onto the page. */
async function visited(
  ctx: HttpContext,
  sent: Parameters,
  handle: (visit: Visit) => Promise<void>
): Promise<void> {
  forbidCaching(ctx)
  try {
    const request = await readAuthorizationRequest(sent)
    await handle({ ctx, request, browser: new Browser(ctx), sent })
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

/** The user signed in with the browser, where that one will do for this request, and signed in lately enough for it. */
async function loginFor({ request, browser }: Visit): Promise<Login | undefined> {
  const { client, realm, text } = request
  const login = browser.value === undefined ? undefined : await readLogin(browser.value)
  if (!login || text.prompt === 'login' || text.prompt === 'select_account') {
    return undefined
  }
  const { realmId } = login.user
  const isMeant = realm ? realm.id === realmId : servesRealm(client, realmId)
  const age = clock.now() - login.signedInAt.getTime()
  return isMeant && age <= Number(text.max_age ?? Infinity) * 1_000 ? login : undefined
}

async function ask({ ctx, request, browser }: Visit, problem?: Problem): Promise<void> {
  showLoginForm(ctx, request, await browser.formProof(), problem)
}

async function askToContinue({ ctx, request, browser }: Visit, login: Login): Promise<void> {
  showContinueForm(ctx, request, await browser.formProof(), login)
}

async function signIn(visit: Visit): Promise<void> {
  const { ctx, sent } = visit
  try {
    await finish(visit, await newLogin(visit))
  } catch (error) {
    if (!(error instanceof OAuthFailure)) {
      throw error
    }
    for (const [name, value] of Object.entries(error.headers)) {
      ctx.response.header(name, value)
    }
    await ask(visit, problemWith(sent, error.status, explanationOf(error)))
  }
}

async function newLogin({ ctx, request, browser, sent }: Visit): Promise<Login> {
  const realm = request.realm ?? (await findRealm(textIn(sent.realm) || MASTER))
  const secrets = { realm, name: textIn(sent.username), password: textIn(sent.password) }
  const source = sourceOf(ctx)
  const user = await signInUser(secrets, source)
  await endLogin(browser.value!)
  return beginLogin(browser.renew(), user, source)
}

async function finish({ ctx, request }: Visit, { id, user }: Login): Promise<void> {
  const { client, redirectUri, codeChallenge, scope, text } = request
  const code = await issueCode({
    clientId: client.id,
    userId: user.id,
    loginSession: id,
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

function problemWith(sent: Parameters, status: number, message: string): Problem {
  return { status, message, username: textIn(sent.username), realm: textIn(sent.realm) }
}

function explanationOf({ status, message }: OAuthFailure): string {
  return status === 429 ? message : 'The user name or the password is not right.'
}

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '')
