import { inject } from '@adonisjs/core'
import type { HttpContext } from '@adonisjs/core/http'

import type { Page, PageResult } from '#console/page'
import { clearSession } from '#console/session/console_session'
import { takeUserHint } from '#console/session/user_hint'
import { consoleSettings } from '#console/console_settings'
import { surfaceUrl } from '#settings/app_settings'
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

  /**
   * Ends it here even if the provider cannot be reached, then sends the browser there. That is not a redirect, since
   * browsers apply the policy of forms to redirects, too.
   */
  async run(page: Page, ctx: HttpContext): Promise<PageResult> {
    const { session, redirect, view } = page
    const idToken = takeUserHint(ctx)
    clearSession(ctx)
    await this.#requests.revoke(session, ctx.request.ip()).catch((error: unknown) => {
      ctx.logger.warn({ err: error }, 'the provider did not end a session of the console')
    })
    const target = await this.#endSessionUrl(idToken)
    if (target === undefined) {
      return redirect('/signed-out')
    }
    ctx.response.header('refresh', `0; url=${target}`)
    return view('plain/signing_out', { target })
  }

  /** The sign-out page of the provider; undefined if it has none or cannot be reached. */
  async #endSessionUrl(idToken: string | undefined): Promise<string | undefined> {
    const endpoints = await this.#endpoints.get().catch(() => undefined)
    if (endpoints?.endSession === undefined) {
      return undefined
    }
    const target = new URL(endpoints.endSession)
    target.searchParams.set('client_id', consoleSettings().clientId)
    target.searchParams.set('post_logout_redirect_uri', `${surfaceUrl('console')}/signed-out`)
    if (idToken !== undefined) {
      target.searchParams.set('id_token_hint', idToken)
    }
    return target.href
  }
}
