import { hash } from 'node:crypto'

import type { HttpContext } from '@adonisjs/core/http'

import { texts } from '#http/texts'
import { failureOf } from '#http/failure_of'
import type { Failure } from '#kernel/failures'
import { isWebAddress } from '#identity/clients/redirect_uris'
import { ACCOUNT_CONSOLE } from '#identity/clients/consoles'
import { accountPage, mayReturnTo } from '#identity/clients/return_addresses'
import { findClientIn } from '#identity/embedded/accounts'
import { cookiePath } from '#identity/embedded/addresses'
import { Browser } from '#identity/embedded/authorize/browser'
import { endLogin, readLogin, type Login } from '#identity/embedded/authorize/login_sessions'
import { grantedPermissionNames } from '#identity/embedded/granted_permissions'
import { forbidCaching } from '#identity/embedded/oauth/endpoint'
import { clock } from '#kernel/clock'
import { changePassword, changeProfile } from './account_changes.js'
import { endSessionOf, endOtherSessions, openSessions } from './open_sessions.js'
import type { AccountRequest } from './account_request.js'
import { showAccountPage, showRefusedLogin, type Problem } from './account_page.js'
import { SELF_MANAGE } from '#identity/embedded/own_permissions'

const MAX_REF_LENGTH = 2048

/** Shows the account page. A user who is not signed in is redirected to the login and back. */
export async function showAccount(ctx: HttpContext): Promise<void> {
  forbidCaching(ctx)
  const query = ctx.request.qs()
  const browser = new Browser(ctx)
  const login = browser.value === undefined ? undefined : await readLogin(browser.value)
  if (typeof query.error === 'string') {
    return showRefusedLogin(ctx)
  }
  if (!login) {
    return sendToLogin(ctx)
  }
  if (query.code !== undefined) {
    return redirectToAccount(ctx)
  }
  await showPage({ ctx, browser, login, sent: {} }, { done: query.done })
}

/** Applies a form of the account page. */
export async function changeAccount(ctx: HttpContext): Promise<void> {
  forbidCaching(ctx)
  const browser = new Browser(ctx)
  const login = browser.value === undefined ? undefined : await readLogin(browser.value)
  if (!login) {
    return sendToLogin(ctx)
  }
  const request = { ctx, browser, login, sent: ctx.request.body() }
  if (!(await browser.isOwnForm(textIn(request.sent.form)))) {
    const problem = { status: 400, message: texts.get('login.expired') }
    return showPage(request, { problem })
  }
  try {
    await perform(request)
  } catch (error) {
    const failure = failureOf(error)
    if (failure.status >= 500) {
      throw error
    }
    await showPage(request, { problem: problemOf(ctx, failure) })
  }
}

async function perform(request: AccountRequest): Promise<void> {
  const { ctx, browser, login, sent } = request
  switch (sent.action) {
    case 'profile':
      await changeProfile(request)
      return redirectToAccount(ctx, { done: 'profile' })
    case 'password':
      await changePassword(request)
      return redirectToAccount(ctx, { done: 'password' })
    case 'end':
      await endSessionOf(login.user.id, textIn(sent.session))
      return redirectToAccount(ctx, { done: 'session' })
    case 'end_others':
      await endOtherSessions(login.user.id, login.id)
      return redirectToAccount(ctx, { done: 'sessions' })
    case 'sign_out':
      await endLogin(browser.value!)
      browser.renew()
      return redirectToAccount(ctx)
    default:
      return redirectToAccount(ctx)
  }
}

async function showPage(
  { ctx, browser, login, sent }: AccountRequest,
  { done, problem }: { done?: unknown; problem?: Problem }
): Promise<void> {
  const [sessions, permissions, proof] = await Promise.all([
    openSessions(login.user.id),
    grantedPermissionNames('user', login.user.id),
    browser.formProof(),
  ])
  showAccountPage(ctx, {
    login,
    sessions,
    proof,
    mayChange: permissions.includes(SELF_MANAGE) || permissions.includes('user_update'),
    problem,
    sent,
    wayBack: await wayBackOf(ctx, login),
    done: confirmationOf(done),
  })
}

/**
 * The returned code is not exchanged: the login page shares the cookie with this page. So the verifier is not stored.
 */
function sendToLogin(ctx: HttpContext): void {
  const { realm_id: realmId, realm_name: realmName } = ctx.request.qs()
  const page = new URL(accountPage())
  page.search = String(new URLSearchParams(refOf(ctx)))
  const challenge = hash('sha256', clock.random(32).toString('base64url'), 'base64url')
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: ACCOUNT_CONSOLE,
    redirect_uri: page.href,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...(typeof realmId === 'string' && { realm_id: realmId }),
    ...(typeof realmName === 'string' && { realm_name: realmName }),
  })
  redirect(ctx, `authorize?${query}`)
}

/** Uses 303, so that going back does not submit the form again. */
function redirectToAccount(ctx: HttpContext, parameters: { done?: string } = {}): void {
  const query = String(new URLSearchParams({ ...refOf(ctx), ...parameters }))
  redirect(ctx, `account/${query && `?${query}`}`)
}

/** The return address that a web interface passes. */
function refOf({ request }: HttpContext): { ref?: string } {
  const { ref } = request.qs()
  return typeof ref === 'string' && ref.length <= MAX_REF_LENGTH ? { ref } : {}
}

/** The target of the link back, limited to addresses that account logins may redirect to. */
async function wayBackOf(ctx: HttpContext, { user }: Login): Promise<URL | undefined> {
  const { ref } = refOf(ctx)
  if (ref === undefined) {
    return undefined
  }
  const client = await findClientIn(user.realmId, ACCOUNT_CONSOLE)
  return client && isWebAddress(ref) && mayReturnTo(client, ref) ? new URL(ref) : undefined
}

function redirect({ response }: HttpContext, path: string): void {
  response.status(303).header('location', `${cookiePath().replace(/\/$/, '')}/${path}`)
  response.send('')
}

function problemOf({ response }: HttpContext, failure: Failure): Problem {
  for (const [name, value] of Object.entries(failure.headers)) {
    response.header(name, value)
  }
  return { status: failure.status, message: failure.issues[0]?.message ?? failure.message }
}

const confirmationOf = (done: unknown): string | undefined =>
  typeof done === 'string' && texts.has(`account.done.${done}`)
    ? texts.get(`account.done.${done}`)
    : undefined

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '')
