import type { ApplicationService } from '@adonisjs/core/types'

import LimitMiddleware from '#http/limit_middleware'
import { RateLimiter } from '#http/rate_limiter'
import { env } from '#start/env'

const LIMITS = {
  anonymous: env.RATE_LIMIT_ANONYMOUS,
  user: env.RATE_LIMIT_USER,
  client: env.RATE_LIMIT_CLIENT,
}

/**
 * Gives the request limits their counter: shared through Redis where there is one, else of this process alone.
 */
export default class LimitsProvider {
  constructor(protected app: ApplicationService) {}

  register() {
    this.app.container.singleton(LimitMiddleware, async (resolver) => {
      return new LimitMiddleware(new RateLimiter(LIMITS, await resolver.make('redis')))
    })
  }
}
