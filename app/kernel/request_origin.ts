import type { HttpContext } from '@adonisjs/core/http'

import { Unauthorized } from './failures.js'
import type { Origin, Source } from './origin.js'

/**
 * Who is behind a request, as events remember it.
 */
export function originOf(ctx: HttpContext): Origin {
  const { actor } = ctx
  if (!actor) {
    throw new Unauthorized()
  }
  return { actor, ...sourceOf(ctx) }
}

/** Where a request comes from, for requests that need no login. */
export function sourceOf({ request }: HttpContext): Source {
  return {
    requestId: request.id() ?? '',
    address: request.ip(),
    userAgent: request.header('user-agent'),
    method: request.method(),
    path: request.url(),
  }
}
