import type { ApplicationService } from '@adonisjs/core/types'

import AuthenticationMiddleware from '#auth/authentication_middleware'
import { ClientActivity } from '#http/client_activity'
import CorsMiddleware from '#http/cors_middleware'
import ExceptionHandler from '#http/exception_handler'
import { httpSettings } from '#http/http_settings'
import LimitMiddleware from '#http/limit_middleware'
import ObservationMiddleware from '#http/observation_middleware'
import { RateLimiter } from '#http/rate_limiter'
import { WaitingRequests } from '#http/waiting_limits'
import { makeOnce } from './made_once.js'

/**
 * Binds what serves requests. Rate limits are shared through Redis or else per process.
 */
export default class HttpProvider {
  constructor(protected app: ApplicationService) {}

  register() {
    const { container } = this.app
    container.singleton(RateLimiter, async (resolver) => {
      return new RateLimiter(httpSettings().rateLimits, await resolver.make('redis'))
    })
    makeOnce(container, [
      AuthenticationMiddleware,
      ClientActivity,
      CorsMiddleware,
      ExceptionHandler,
      LimitMiddleware,
      ObservationMiddleware,
      WaitingRequests,
    ])
  }
}
