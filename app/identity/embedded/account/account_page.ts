import type { HttpContext } from '@adonisjs/core/http'

import { html, phrase, sendPage, type Html } from '#http/page'
import { formField } from '#identity/embedded/form_field'
import type { Login } from '#identity/embedded/authorize/login_sessions'
import { browserName } from './browser_name.js'
import type { OpenSession } from './open_sessions.js'

/** Why the last attempt failed. */
export interface Problem {
  readonly status: number
  readonly message: string
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
      ${wayBack && linkBack(wayBack)}
      <h1>${phrase('account.title')}</h1>
      <p class="long">
        ${phrase('account.signedIn', {
          user: html`<strong>${login.user.name}</strong>`,
          realm: login.user.realmName,
        })}
      </p>
      ${done && html`<p class="notice" role="status"><strong>${done}</strong></p>`}
      ${problem && html`<p role="alert"><strong>${problem.message}</strong></p>`}
      ${mayChange ? [detailsForm(page), passwordForm(page)] : detailsOf(page)} ${sessionList(page)}
      <section class="card">
        <h2>${phrase('account.signOut.title')}</h2>
        <form method="post">
          ${proofField(page)}
          <p class="submit">
            <button name="action" value="sign_out">${phrase('account.signOut.label')}</button>
          </p>
        </form>
      </section>
    </main>
  `
  sendPage(ctx, phrase(problem ? 'account.problem' : 'account.title'), content)
}

/** Shown after a refused login. */
export function showRefusedLogin(ctx: HttpContext): void {
  ctx.response.status(400)
  sendPage(
    ctx,
    phrase('account.problem'),
    html`<main class="dialog card">
      <h1>${phrase('account.refused.title')}</h1>
      <p role="alert"><strong>${phrase('account.refused.text')}</strong></p>
      <p>
        ${phrase('account.refused.advice', {
          account: html`<a href="./">${phrase('account.refused.link')}</a>`,
        })}
      </p>
    </main>`
  )
}

const linkBack = ({ href, host }: URL): Html =>
  html`<p><a href="${href}">${phrase('account.back', { host })}</a></p>`

function detailsForm({ login: { user }, sent, problem, proof }: AccountPage): Html {
  const isRejected = problem && sent.action === 'profile'
  return html`
    <section class="card">
      <h2>${phrase('account.details.title')}</h2>
      <form method="post">
        ${proofField({ proof })}
        ${formField('display_name', phrase('account.details.displayName'), {
          value: isRejected ? sent.display_name : user.displayName,
          autocomplete: 'name',
          maxlength: 256,
        })}
        ${formField('email', phrase('account.details.email'), {
          type: 'email',
          value: isRejected ? sent.email : user.email,
          autocomplete: 'email',
          maxlength: 320,
        })}
        <p class="submit">
          <button class="primary" name="action" value="profile">
            ${phrase('account.details.save')}
          </button>
        </p>
      </form>
    </section>
  `
}

const PASSWORDS = [
  ['current', 'account.password.current', 'current-password'],
  ['password', 'account.password.new', 'new-password'],
  ['repeated', 'account.password.repeated', 'new-password'],
] as const

function passwordForm({ login, proof }: AccountPage): Html {
  return html`
    <section class="card">
      <h2>${phrase('account.password.title')}</h2>
      <form method="post">
        ${proofField({ proof })}
        <input type="hidden" name="username" value="${login.user.name}" autocomplete="username" />
        ${PASSWORDS.map(([name, label, autocomplete]) =>
          formField(name, phrase(label), { type: 'password', autocomplete, required: true })
        )}
        <p class="muted">${phrase('account.password.effect')}</p>
        <p class="submit">
          <button class="primary" name="action" value="password">
            ${phrase('account.password.change')}
          </button>
        </p>
      </form>
    </section>
  `
}

function detailsOf({ login: { user } }: AccountPage): Html {
  return html`
    <section class="card">
      <h2>${phrase('account.details.title')}</h2>
      ${detail('account.details.displayName', user.displayName)}
      ${detail('account.details.email', user.email)}
      <p class="muted">${phrase('account.details.administrators')}</p>
    </section>
  `
}

function detail(label: string, stored: string | null): Html {
  const value = stored ?? phrase('account.details.none')
  return html`<p class="long">${phrase('account.details.one', { label: phrase(label), value })}</p>`
}

function sessionList({ login, sessions, proof }: AccountPage): Html {
  const others = sessions.filter(({ id }) => id !== login.id)
  return html`
    <section class="card">
      <h2>${phrase('account.sessions.title')}</h2>
      <p>${phrase('account.sessions.own', { since: time(login.signedInAt) })}</p>
      ${others.map((session) => sessionForm(session, proof))}
      ${
        others.length > 1 &&
        html`<form method="post">
          ${proofField({ proof })}
          <p>
            <button name="action" value="end_others">
              ${phrase('account.sessions.endOthers')}
            </button>
          </p>
        </form>`
      }
    </section>
  `
}

function sessionForm(session: OpenSession, proof: string): Html {
  const label = phrase('account.sessions.endNamed', { name: nameOf(session) })
  return html`<form method="post">
    ${proofField({ proof })}
    <input type="hidden" name="session" value="${session.id}" />
    <p class="long">${descriptionOf(session)}</p>
    <p>
      <button name="action" value="end" aria-label="${label}">
        ${phrase('account.sessions.end')}
      </button>
    </p>
  </form>`
}

const nameOf = ({ client, isBrowser }: OpenSession): string | Html =>
  isBrowser ? phrase('account.sessions.browser') : (client ?? phrase('account.sessions.program'))

/** Browser and address are missing for old sessions. */
function descriptionOf(session: OpenSession): Html {
  const { userAgent, address, since, usedAt } = session
  const origin = joined(' ', [
    html`<strong>${nameOf(session)}</strong>`,
    userAgent && phrase('account.sessions.with', { browser: browserName(userAgent) }),
    address && phrase('account.sessions.from', { address }),
  ])
  return joined(', ', [
    origin,
    phrase('account.sessions.since', { since: time(since) }),
    usedAt && phrase('account.sessions.renewed', { time: time(usedAt) }),
  ])
}

const joined = (separator: string, parts: readonly (Html | '' | null)[]): Html =>
  html`${parts.filter(Boolean).map((part, index) => html`${index > 0 && separator}${part}`)}`

const proofField = ({ proof }: Pick<AccountPage, 'proof'>): Html =>
  html`<input type="hidden" name="form" value="${proof}" />`

const time = (value: Date): Html => {
  const iso = value.toISOString()
  return html`<time datetime="${iso}">${iso.slice(0, 16).replace('T', ' ')} UTC</time>`
}
