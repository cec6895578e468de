import type { HttpContext } from '@adonisjs/core/http'

import { html, phrase, sendPage } from '#http/page'
import type { Login } from '#identity/embedded/authorize/login_sessions'
import type { SignOutRequest } from './sign_out_request.js'

/** Asks a user whether to sign out. */
export function showSignOutForm(
  ctx: HttpContext,
  { text, returnTo }: SignOutRequest,
  { user }: Login,
  proof: string
): void {
  const hidden = Object.entries({ ...text, form: proof }).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`
  )
  const content = html`<main class="dialog card">
    <h1>${phrase('login.signOut.title')}</h1>
    <p>
      ${phrase('login.signOut.question', {
        user: html`<strong>${user.displayName ?? user.name}</strong>`,
        realm: user.realmName,
      })}
    </p>
    <form method="post">
      ${hidden}
      <p class="submit">
        <button class="primary" autofocus>${phrase('login.signOut.title')}</button>
      </p>
    </form>
  </main>`
  // Browsers apply the policy of forms to redirects, too.
  const formTargets = returnTo
    ? [returnTo.origin === 'null' ? returnTo.protocol : returnTo.origin]
    : []
  sendPage(ctx, phrase('login.signOut.title'), content, { formTargets })
}

/** Confirms the sign-out, for users whose client named no address of its own. */
export function showSignedOut(ctx: HttpContext): void {
  sendPage(
    ctx,
    phrase('login.signOut.done'),
    html`<main class="dialog card">
      <h1>${phrase('login.signOut.done')}</h1>
      <p>${phrase('login.signOut.text')}</p>
    </main>`
  )
}
