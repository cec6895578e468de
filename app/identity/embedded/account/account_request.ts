import type { HttpContext } from '@adonisjs/core/http'

import type { Browser } from '#identity/embedded/authorize/browser'
import type { Login } from '#identity/embedded/authorize/login_sessions'

/** A browser whose user looks after the own account. */
export interface AccountRequest {
  readonly ctx: HttpContext
  readonly browser: Browser
  readonly login: Login
  readonly sent: Readonly<Record<string, unknown>>
}
