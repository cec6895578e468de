import type { HttpContext } from '@adonisjs/core/http'

import { Unauthorized } from '#kernel/failures'
import type { Origin, Source } from '#kernel/origin'

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

/** Where a request comes from, for requests that nobody needs to be signed in for. */
export function sourceOf({ request }: HttpContext): Source {
  return {
    requestId: request.id() ?? '',
    address: request.ip(),
    userAgent: request.header('user-agent'),
    method: request.method(),
    path: request.url(),
  }
}
