import type { HttpContext } from '@adonisjs/core/http'

import type { Actor } from './actor.js'
import { Unauthorized } from './failures.js'
import type { Origin, RequestSource } from './origin.js'

/**
 * Who is behind a request, as events remember it.
 */
export function originOf(ctx: HttpContext): Origin {
  return { actor: actorOf(ctx), ...sourceOf(ctx) }
}

/** Who is behind a request that leaves no event. */
export function actorOf({ actor }: HttpContext): Actor {
  if (!actor) {
    throw new Unauthorized()
  }
  return actor
}

/** Where a request comes from, for requests that need no login. */
export function sourceOf({ request }: HttpContext): RequestSource {
  return {
    requestId: request.id() ?? '',
    address: request.ip(),
    userAgent: request.header('user-agent'),
    method: request.method(),
    path: request.url(),
  }
}
