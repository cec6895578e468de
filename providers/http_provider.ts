import type { ApplicationService } from '@adonisjs/core/types'

import AuthenticationMiddleware, { type Authenticator } from '#auth/authentication_middleware'
import * as corsRules from '#config/cors'
import CorsMiddleware from '#http/cors_middleware'
import ExceptionHandler from '#http/exception_handler'
import LimitMiddleware from '#http/limit_middleware'
import { RateLimiter } from '#http/rate_limiter'
import { WaitingRequests } from '#http/waiting_limits'
import { env } from '#start/env'
import { makeOnce } from './made_once.js'

declare module '@adonisjs/core/types' {
  interface ContainerBindings {
    authenticator: Authenticator | undefined
  }
}

const LIMITS = {
  anonymous: env.RATE_LIMIT_ANONYMOUS,
  user: env.RATE_LIMIT_USER,
  client: env.RATE_LIMIT_CLIENT,
}

const TOKEN_SOURCES = {
  cookie: `${env.COOKIE_PREFIX}access_token`,
  origins: env.CORS_ORIGINS,
}

const WAITING_LIMITS = {
  perIdentity: env.STREAMS_MAX_PER_IDENTITY,
  perRealm: env.STREAMS_MAX_PER_REALM,
  perAddress: env.CONNECTIONS_MAX_PER_ADDRESS,
}

/**
 * Binds what serves requests: CORS, authentication and rate limits, which are shared through Redis or
 * else per process.
 */
export default class HttpProvider {
  constructor(protected app: ApplicationService) {}

  register() {
    const { container } = this.app
    container.singleton('authenticator', () => undefined)
    container.singleton(CorsMiddleware, () => new CorsMiddleware(corsRules))
    container.singleton(AuthenticationMiddleware, async (resolver) => {
      return new AuthenticationMiddleware(await resolver.make('authenticator'), TOKEN_SOURCES)
    })
    container.singleton(RateLimiter, async (resolver) => {
      return new RateLimiter(LIMITS, await resolver.make('redis'))
    })
    container.singleton(WaitingRequests, () => new WaitingRequests(WAITING_LIMITS))
    makeOnce(container, [ExceptionHandler, LimitMiddleware])
  }
}
