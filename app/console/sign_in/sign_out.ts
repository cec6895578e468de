import { inject } from '@adonisjs/core'
import type { HttpContext } from '@adonisjs/core/http'

import type { Page, PageResult } from '#console/page'
import { clearSession } from '#console/session/console_session'
import { ProviderEndpoints } from './provider_endpoints.js'
import { TokenRequests } from './token_requests.js'

/** Ends the session here and at the provider. */
@inject()
export class SignOut {
  readonly #endpoints: ProviderEndpoints
  readonly #requests: TokenRequests

  constructor(endpoints: ProviderEndpoints, requests: TokenRequests) {
    this.#endpoints = endpoints
    this.#requests = requests
  }

  /** Ends it here even if the provider cannot be reached. */
  async run({ session, redirect }: Page, ctx: HttpContext): Promise<PageResult> {
    clearSession(ctx)
    await this.#requests.revoke(session).catch((error: unknown) => {
      ctx.logger.warn({ err: error }, 'the provider did not end a session of the console')
    })
    return redirect('/signed-out')
  }

  /** Where the user can also end the login at the provider, if it has such a page. */
  async endSessionUrl(): Promise<string | undefined> {
    const endpoints = await this.#endpoints.get().catch(() => undefined)
    return endpoints?.endSession
  }
}
