import type { HttpContext } from '@adonisjs/core/http'

import { answer } from './answer.js'
import { failureOf } from './classify.js'
import { envelopeOf, PermissionDenied } from '#kernel/failures'
import { noteRefusal } from '#audit/security_events'

/**
 * The one place where a failed request becomes an answer: the error envelope, whatever was thrown.
 */
export default class ExceptionHandler {
  report(error: unknown, ctx: HttpContext): void {
    const failure = failureOf(error)
    if (failure.status >= 500) {
      ctx.logger.error({ err: failure.cause ?? failure, status: failure.status }, failure.message)
    }
    if (failure instanceof PermissionDenied) {
      noteRefusal(ctx, failure)
    }
  }

  handle(error: unknown, ctx: HttpContext): void {
    const failure = failureOf(error)
    for (const [name, value] of Object.entries(failure.headers)) {
      ctx.response.header(name, value)
    }
    answer(ctx, envelopeOf(failure), failure.status)
  }
}
