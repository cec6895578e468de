import type { HttpContext } from '@adonisjs/core/http'

import { Unauthorized } from '#http/failures'
import type { Origin } from '#records/events'

/**
 * Who is behind a request, as events remember it.
 */
export function originOf({ actor, request }: HttpContext): Origin {
  if (!actor) {
    throw new Unauthorized()
  }
  return {
    actor,
    requestId: request.id() ?? '',
    address: request.ip(),
    userAgent: request.header('user-agent'),
  }
}
