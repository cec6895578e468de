import type { HttpContext } from '@adonisjs/core/http'

import type { Browser } from '#identity/embedded/authorize/browser'
import type { Login } from '#identity/embedded/authorize/login_sessions'

/** A request of a signed-in browser to the account page. */
export interface AccountRequest {
  readonly ctx: HttpContext
  readonly browser: Browser
  readonly login: Login
  readonly sent: Readonly<Record<string, unknown>>
}
