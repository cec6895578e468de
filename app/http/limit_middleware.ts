import { inject } from '@adonisjs/core'
import type { HttpContext } from '@adonisjs/core/http'
import router from '@adonisjs/core/services/router'

import { allowedMethods } from './allowed_methods.js'
import { countRequest } from './count_request.js'
import { RateLimiter } from './rate_limiter.js'

/** Counts the request against its caller's rate limit, and answers OPTIONS with the allowed methods. */
@inject()
export default class LimitMiddleware {
  readonly #limiter: RateLimiter

  constructor(limiter: RateLimiter) {
    this.#limiter = limiter
  }

  handle(ctx: HttpContext, next: () => Promise<void>): Promise<void> {
    return this.#limiter.applies(ctx.actor) ? this.#count(ctx, next) : this.#pass(ctx, next)
  }

  async #count(ctx: HttpContext, next: () => Promise<void>): Promise<void> {
    await countRequest(this.#limiter, ctx)
    return this.#pass(ctx, next)
  }

  #pass(ctx: HttpContext, next: () => Promise<void>): Promise<void> {
    return ctx.request.method() === 'OPTIONS' ? this.#respondWithMethods(ctx, next) : next()
  }

  async #respondWithMethods(ctx: HttpContext, next: () => Promise<void>): Promise<void> {
    ctx.response.header('allow', allowedMethods(router, ctx.request.url()).join(','))
    if (!router.match(ctx.request.url(), 'OPTIONS', false)) {
      return ctx.response.status(204).send(null)
    }
    return next()
  }
}
