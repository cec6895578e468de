import type { HttpContext } from '@adonisjs/core/http'
import router from '@adonisjs/core/services/router'

import { RateLimited } from '#kernel/failures'
import { allowedMethods } from './allowed_methods.js'
import type { Allowance, RateLimiter } from './rate_limiter.js'

/**
 * Counts the request against its caller's allowance, and says which methods a path has, where that is asked.
 */
export default class LimitMiddleware {
  readonly #limiter: RateLimiter

  constructor(limiter: RateLimiter) {
    this.#limiter = limiter
  }

  handle(ctx: HttpContext, next: () => Promise<void>): Promise<void> {
    return this.#limiter.applies(ctx.actor) ? this.#count(ctx, next) : this.#pass(ctx, next)
  }

  async #count(ctx: HttpContext, next: () => Promise<void>): Promise<void> {
    const allowance = await this.#limiter.count(ctx.actor, ctx.request.ip())
    if (allowance) {
      announce(ctx, allowance)
      if (allowance.exceeded) {
        throw new RateLimited(allowance.resetSeconds)
      }
    }
    return this.#pass(ctx, next)
  }

  #pass(ctx: HttpContext, next: () => Promise<void>): Promise<void> {
    return ctx.request.method() === 'OPTIONS' ? this.#tellMethods(ctx, next) : next()
  }

  async #tellMethods(ctx: HttpContext, next: () => Promise<void>): Promise<void> {
    ctx.response.header('allow', allowedMethods(router, ctx.request.url()).join(','))
    if (!router.match(ctx.request.url(), 'OPTIONS', false)) {
      return ctx.response.status(204).send(null)
    }
    return next()
  }
}

function announce({ response }: HttpContext, { limit, remaining, resetSeconds }: Allowance): void {
  response.header('ratelimit-limit', limit)
  response.header('ratelimit-remaining', remaining)
  response.header('ratelimit-reset', resetSeconds)
}
