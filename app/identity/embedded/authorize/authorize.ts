import type { HttpContext } from '@adonisjs/core/http'

import { texts } from '#http/texts'
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
import { issueCode } from './authorization_codes.js'
import { startLogin, endLogin, readLogin, type Login } from './login_sessions.js'
import { showContinueForm, showLoginForm, showUnusableLink, type Problem } from './login_page.js'
import { AuthorizationFailure, InvalidLink } from './authorization_failure.js'

/** A browser request on behalf of a client. */
interface LoginRequest {
  readonly ctx: HttpContext
  readonly request: AuthorizationRequest
  readonly browser: Browser
  readonly sent: Parameters
}

/** Starts an authorization request. */
export function authorize(ctx: HttpContext): Promise<void> {
  return handleRequest(ctx, ctx.request.qs(), async (loginRequest) => {
    const login = await loginFor(loginRequest)
    if (loginRequest.request.text.prompt === 'none') {
      throw interactionRequired(
        loginRequest.request,
        login ? 'interaction_required' : 'login_required'
      )
    }
    return login ? showContinue(loginRequest, login) : showLogin(loginRequest)
  })
}

/** Handles the form of the login page. */
export function submitLogin(ctx: HttpContext): Promise<void> {
  return handleRequest(ctx, ctx.request.body(), async (loginRequest) => {
    const { browser, sent } = loginRequest
    if (!(await browser.isOwnForm(textIn(sent.form)))) {
      return showLogin(loginRequest, problemWith(sent, 400, texts.get('login.expired')))
    }
    switch (sent.action) {
      case 'continue': {
        const login = await loginFor(loginRequest)
        return login ? finish(loginRequest, login) : showLogin(loginRequest)
      }
      case 'switch':
        await endLogin(browser.value!)
        browser.renew()
        return showLogin(loginRequest)
      default:
        return signIn(loginRequest)
    }
  })
}

/** Sends failures to the client if its address is known, else shows them on the page. */
async function handleRequest(
  ctx: HttpContext,
  sent: Parameters,
  handle: (loginRequest: LoginRequest) => Promise<void>
): Promise<void> {
  forbidCaching(ctx)
  try {
    const request = await readAuthorizationRequest(sent)
    await handle({ ctx, request, browser: new Browser(ctx), sent })
  } catch (error) {
    if (error instanceof InvalidLink) {
      return showUnusableLink(ctx, error.message)
    }
    if (error instanceof AuthorizationFailure) {
      const { redirectUri, issuer, refusal } = error
      const { description, ...rest } = refusal
      return sendBack(ctx, redirectUri, { ...rest, error_description: description, iss: issuer })
    }
    throw error
  }
}

/** The login of the browser, if it is valid for this request and recent enough. */
async function loginFor({ request, browser }: LoginRequest): Promise<Login | undefined> {
  const { client, realm, text } = request
  const login = browser.value === undefined ? undefined : await readLogin(browser.value)
  if (!login || text.prompt === 'login' || text.prompt === 'select_account') {
    return undefined
  }
  const { realmId } = login.user
  const isInRealm = realm ? realm.id === realmId : servesRealm(client, realmId)
  const age = clock.now() - login.signedInAt.getTime()
  return isInRealm && age <= Number(text.max_age ?? Infinity) * 1_000 ? login : undefined
}

async function showLogin(
  { ctx, request, browser }: LoginRequest,
  problem?: Problem
): Promise<void> {
  showLoginForm(ctx, request, await browser.formProof(), problem)
}

async function showContinue({ ctx, request, browser }: LoginRequest, login: Login): Promise<void> {
  showContinueForm(ctx, request, await browser.formProof(), login)
}

async function signIn(loginRequest: LoginRequest): Promise<void> {
  const { ctx, sent } = loginRequest
  try {
    await finish(loginRequest, await newLogin(loginRequest))
  } catch (error) {
    if (!(error instanceof OAuthFailure)) {
      throw error
    }
    for (const [name, value] of Object.entries(error.headers)) {
      ctx.response.header(name, value)
    }
    await showLogin(loginRequest, problemWith(sent, error.status, explanationOf(error)))
  }
}

async function newLogin({ ctx, request, browser, sent }: LoginRequest): Promise<Login> {
  const realm = request.realm ?? (await findRealm(textIn(sent.realm) || MASTER))
  const secrets = { realm, name: textIn(sent.username), password: textIn(sent.password) }
  const source = sourceOf(ctx)
  const user = await signInUser(secrets, source)
  await endLogin(browser.value!)
  return startLogin(browser.renew(), user, source)
}

async function finish({ ctx, request }: LoginRequest, { id, user }: Login): Promise<void> {
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

/** Uses 303, so that the form data is not sent on. */
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

function interactionRequired({ redirectUri, text, realm }: AuthorizationRequest, error: string) {
  const description = 'The user must interact, but prompt=none does not allow that.'
  const issuer = issuerOf(realm?.name ?? MASTER)
  return new AuthorizationFailure(redirectUri, { error, description, state: text.state }, issuer)
}

function problemWith(sent: Parameters, status: number, message: string): Problem {
  return { status, message, username: textIn(sent.username), realm: textIn(sent.realm) }
}

function explanationOf({ status, message }: OAuthFailure): string {
  return status === 429 ? message : texts.get('login.wrong')
}

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '')
