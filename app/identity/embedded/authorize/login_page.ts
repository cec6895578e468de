import type { HttpContext } from '@adonisjs/core/http'

import { html, phrase, sendPage, type Html } from '#http/page'
import { MASTER } from '#identity/embedded/accounts'
import { formField } from '#identity/embedded/form_field'
import { AUTHORIZATION_PARAMETERS, type AuthorizationRequest } from './authorization_request.js'
import type { Login } from './login_sessions.js'

/** Why the last attempt failed, and its input. */
export interface Problem {
  readonly status: number
  readonly message: string
  readonly username: string
  readonly realm: string
}

/** Prevents keyboards from correcting names. */
const AS_TYPED = { autocapitalize: 'none', spellcheck: 'false' }

/** Renders the login page. It needs no script. */
export function showLoginForm(
  ctx: HttpContext,
  request: AuthorizationRequest,
  proof: string,
  problem?: Problem
): void {
  const { client, text, realm } = request
  const username = problem?.username ?? text.login_hint ?? ''
  const described = problem && { 'aria-describedby': 'problem', 'aria-invalid': 'true' }
  ctx.response.status(problem?.status ?? 200)
  const content = html`
    <main class="dialog card">
      <h1>${phrase('login.title')}</h1>
      <p>${phrase('login.client', { client: strong(nameOf(client)) })}</p>
      ${problem && html`<p role="alert" id="problem"><strong>${problem.message}</strong></p>`}
      <form method="post">
        ${hiddenFields(request, proof)}
        ${formField('username', phrase('login.username'), {
          value: username,
          autocomplete: 'username',
          ...AS_TYPED,
          required: true,
          ...described,
          autofocus: username === '',
        })}
        ${formField('password', phrase('login.password'), {
          type: 'password',
          autocomplete: 'current-password',
          required: true,
          ...described,
          autofocus: username !== '',
        })}
        ${
          realm
            ? html`<p class="muted">${phrase('login.ownRealm', { realm: realm.name })}</p>`
            : formField('realm', phrase('login.realm'), {
                value: problem?.realm || MASTER,
                ...AS_TYPED,
                autocomplete: 'off',
                required: true,
              })
        }
        <p class="submit">
          <button class="primary" name="action" value="sign_in">${phrase('login.title')}</button>
        </p>
      </form>
    </main>
  `
  send(ctx, request, phrase(problem ? 'login.problem' : 'login.title'), content)
}

/** Renders the confirmation page of a signed-in user: a client gets nothing without consent. */
export function showContinueForm(
  ctx: HttpContext,
  request: AuthorizationRequest,
  proof: string,
  { user }: Login
): void {
  const content = html`
    <main class="dialog card">
      <h1>${phrase('login.continue.title')}</h1>
      <p>
        ${phrase('login.continue.question', {
          user: strong(nameOf(user)),
          realm: user.realmName,
          client: strong(nameOf(request.client)),
        })}
      </p>
      <form method="post">
        ${hiddenFields(request, proof)}
        <p class="submit">
          <button class="primary" name="action" value="continue" autofocus>
            ${phrase('login.continue.as', { user: nameOf(user) })}
          </button>
          <button name="action" value="switch">${phrase('login.continue.switch')}</button>
        </p>
      </form>
    </main>
  `
  send(ctx, request, phrase('login.continue.title'), content)
}

/** Renders the page for an invalid link. */
export function showUnusableLink(ctx: HttpContext, message: string): void {
  ctx.response.status(400)
  sendPage(
    ctx,
    phrase('login.problem'),
    html`<main class="dialog card">
      <h1>${phrase('login.unusable.title')}</h1>
      <p role="alert"><strong>${message}</strong></p>
      <p>${phrase('login.unusable.advice')}</p>
    </main>`
  )
}

const strong = (name: string): Html => html`<strong>${name}</strong>`

const nameOf = ({ displayName, name }: { displayName: string | null; name: string }) =>
  displayName ?? name

function hiddenFields({ text }: AuthorizationRequest, proof: string): Html[] {
  const parameters = AUTHORIZATION_PARAMETERS.flatMap((name) =>
    text[name] === undefined ? [] : [[name, text[name]]]
  )
  return [...parameters, ['form', proof]].map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`
  )
}

/** Browsers apply `form-action` to redirects too, so the client's address has to be allowed. */
function send(
  ctx: HttpContext,
  { redirectUri }: AuthorizationRequest,
  title: Html,
  content: Html
): void {
  const { protocol, origin } = new URL(redirectUri)
  sendPage(ctx, title, content, { formTargets: [origin === 'null' ? protocol : origin] })
}
