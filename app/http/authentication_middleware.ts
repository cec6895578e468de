import type { HttpContext } from '@adonisjs/core/http'

import type { Actor } from '#http/actor'

/**
 * Finds out whose token this is; undefined where it is nobody's. Routes that need nobody never see a refusal.
 */
export interface Authenticator {
  verify(token: string): Promise<Actor | undefined> | Actor | undefined
}

const BEARER = /^bearer ([^\s]+)$/i

/**
 * Says who sent the request, where it carries a token that is accepted.
 */
export default class AuthenticationMiddleware {
  readonly #authenticator: Authenticator | undefined

  constructor(authenticator: Authenticator | undefined) {
    this.#authenticator = authenticator
  }

  async handle(ctx: HttpContext, next: () => Promise<void>): Promise<void> {
    const token = BEARER.exec(ctx.request.header('authorization') ?? '')?.[1]
    if (token && this.#authenticator) {
      ctx.actor = await this.#authenticator.verify(token)
    }
    return next()
  }
}
