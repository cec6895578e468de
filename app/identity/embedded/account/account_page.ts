import type { HttpContext } from '@adonisjs/core/http'

import { html, sendPage, type Html } from '#http/page'
import { formField } from '#identity/embedded/form_field'
import type { Login } from '#identity/embedded/authorize/login_sessions'
import { browserName } from './browser_name.js'
import type { OpenSession } from './open_sessions.js'

/** Why the last attempt failed. */
export interface Problem {
  readonly status: number
  readonly message: string
}

/** The confirmation messages of the page. */
export const DONE: Readonly<Record<string, string>> = {
  profile: 'Your details are saved.',
  password: 'Your password is changed, and you are signed out everywhere else.',
  session: 'The session is ended.',
  sessions: 'All other sessions are ended.',
}

interface AccountPage {
  readonly login: Login
  readonly sessions: readonly OpenSession[]
  readonly proof: string
  /** Whether the user may change details and password. */
  readonly mayChange: boolean
  readonly problem?: Problem
  readonly sent: Readonly<Record<string, unknown>>
  readonly done: string | undefined
  /** The web interface that linked here. */
  readonly wayBack: URL | undefined
}

/** Renders the account page. It needs no script. */
export function showAccountPage(ctx: HttpContext, page: AccountPage): void {
  const { login, problem, done, mayChange, wayBack } = page
  ctx.response.status(problem?.status ?? 200)
  const content = html`
    <main class="narrow">
      ${wayBack && html`<p><a href="${wayBack.href}">Back to ${wayBack.host}</a></p>`}
      <h1>Your account</h1>
      <p class="long">
        You are signed in as <strong>${login.user.name}</strong> (realm ${login.user.realmName}).
      </p>
      ${done && html`<p class="notice" role="status"><strong>${done}</strong></p>`}
      ${problem && html`<p role="alert"><strong>${problem.message}</strong></p>`}
      ${mayChange ? [detailsForm(page), passwordForm(page)] : detailsOf(page)} ${sessionList(page)}
      <section class="card">
        <h2>Sign out</h2>
        <form method="post">
          ${proofField(page)}
          <p class="submit">
            <button name="action" value="sign_out">Sign out of this browser</button>
          </p>
        </form>
      </section>
    </main>
  `
  sendPage(ctx, problem ? 'Problem: Your account' : 'Your account', content)
}

/** Shown after a refused login. */
export function showRefusedLogin(ctx: HttpContext): void {
  ctx.response.status(400)
  sendPage(
    ctx,
    'Problem: Your account',
    html`<main class="dialog card">
      <h1>This does not work</h1>
      <p role="alert"><strong>The sign-in for your account was refused.</strong></p>
      <p>
        Open <a href="./">your account</a> again; if that does not help, contact your administrator.
      </p>
    </main>`
  )
}

function detailsForm({ login: { user }, sent, problem, proof }: AccountPage): Html {
  const isRejected = problem && sent.action === 'profile'
  return html`
    <section class="card">
      <h2>Details</h2>
      <form method="post">
        ${proofField({ proof })}
        ${formField('display_name', 'Display name', {
          value: isRejected ? sent.display_name : user.displayName,
          autocomplete: 'name',
          maxlength: 256,
        })}
        ${formField('email', 'Mail address', {
          type: 'email',
          value: isRejected ? sent.email : user.email,
          autocomplete: 'email',
          maxlength: 320,
        })}
        <p class="submit">
          <button class="primary" name="action" value="profile">Save details</button>
        </p>
      </form>
    </section>
  `
}

const PASSWORDS = [
  ['current', 'Current password', 'current-password'],
  ['password', 'New password', 'new-password'],
  ['repeated', 'New password once more', 'new-password'],
] as const

function passwordForm({ login, proof }: AccountPage): Html {
  return html`
    <section class="card">
      <h2>Password</h2>
      <form method="post">
        ${proofField({ proof })}
        <input type="hidden" name="username" value="${login.user.name}" autocomplete="username" />
        ${PASSWORDS.map(([name, label, autocomplete]) =>
          formField(name, label, { type: 'password', autocomplete, required: true })
        )}
        <p class="muted">A new password ends all your other sessions.</p>
        <p class="submit">
          <button class="primary" name="action" value="password">Change password</button>
        </p>
      </form>
    </section>
  `
}

function detailsOf({ login: { user } }: AccountPage): Html {
  return html`
    <section class="card">
      <h2>Details</h2>
      <p class="long">Display name: ${user.displayName ?? 'none'}</p>
      <p class="long">Mail address: ${user.email ?? 'none'}</p>
      <p class="muted">Your administrators look after these and your password.</p>
    </section>
  `
}

function sessionList({ login, sessions, proof }: AccountPage): Html {
  const others = sessions.filter(({ id }) => id !== login.id)
  return html`
    <section class="card">
      <h2>Open sessions</h2>
      <p>This browser, since ${time(login.signedInAt)}</p>
      ${others.map((session) => {
        const label = nameOf(session)
        return html`<form method="post">
          ${proofField({ proof })}
          <input type="hidden" name="session" value="${session.id}" />
          <p class="long">
            <strong>${label}</strong>${beginningOf(session)}, since
            ${time(session.since)}${session.usedAt && html`, last renewed ${time(session.usedAt)}`}
          </p>
          <p>
            <button name="action" value="end" aria-label="End the session: ${label}">End</button>
          </p>
        </form>`
      })}
      ${
        others.length > 1 &&
        html`<form method="post">
          ${proofField({ proof })}
          <p>
            <button name="action" value="end_others">End all other sessions</button>
          </p>
        </form>`
      }
    </section>
  `
}

const nameOf = ({ client, isBrowser }: OpenSession): string =>
  isBrowser ? 'Another browser' : (client ?? 'A program')

/** Both are missing for old sessions. */
const beginningOf = ({ userAgent, address }: OpenSession): string =>
  [userAgent && ` with ${browserName(userAgent)}`, address && ` from ${address}`]
    .filter(Boolean)
    .join('')

const proofField = ({ proof }: Pick<AccountPage, 'proof'>): Html =>
  html`<input type="hidden" name="form" value="${proof}" />`

const time = (value: Date): Html => {
  const iso = value.toISOString()
  return html`<time datetime="${iso}">${iso.slice(0, 16).replace('T', ' ')} UTC</time>`
}
