import type { HttpContext } from '@adonisjs/core/http'

import type { Actor } from './actor.js'
import { Unauthorized } from './failures.js'
import type { Origin, RequestSource } from './origin.js'

/** The origin of a request as events record it. */
export function originOf(ctx: HttpContext): Origin {
  return { actor: actorOf(ctx), ...sourceOf(ctx) }
}

/** The caller of a request that records no event. */
export function actorOf({ actor }: HttpContext): Actor {
  if (!actor) {
    throw new Unauthorized()
  }
  return actor
}

/** The source of a request that needs no login. */
export function sourceOf({ request }: HttpContext): RequestSource {
  return {
    requestId: request.id() ?? '',
    address: request.ip(),
    userAgent: request.header('user-agent'),
    method: request.method(),
    path: request.url(),
  }
}
