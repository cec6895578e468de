import type { ApplicationService } from '@adonisjs/core/types'

import * as corsRules from '#config/cors'
import { Origins } from '#http/origins'
import AuthenticationMiddleware, { type Authenticator } from '#auth/authentication_middleware'
import { Entrance } from '#http/entrance'
import LimitMiddleware from '#http/limit_middleware'
import { RateLimiter } from '#http/rate_limiter'
import { env } from '#start/env'

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

/**
 * Wires what stands in front of all routes: other origins, who sends a request, and how many of them are counted (together
 * through Redis where there is one, else per process).
 */
export default class HttpProvider {
  constructor(protected app: ApplicationService) {}

  register() {
    const { container } = this.app
    container.singleton('authenticator', () => undefined)
    container.singleton(Entrance, async (resolver) => {
      const limiter = new RateLimiter(LIMITS, await resolver.make('redis'))
      return new Entrance({
        cors: new Origins(corsRules),
        authentication: new AuthenticationMiddleware(await resolver.make('authenticator')),
        limits: new LimitMiddleware(limiter),
      })
    })
  }
}
