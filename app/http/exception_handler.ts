import type { HttpContext } from '@adonisjs/core/http'

import { sendJson } from './send_json.js'
import { failureOf } from './failure_of.js'
import { envelopeOf, PermissionDenied } from '#kernel/failures'
import type { SecurityAudit } from '#audit/security_audit'

/** Converts every error into the error envelope. */
export default class ExceptionHandler {
  readonly #notes: SecurityAudit

  constructor(notes: SecurityAudit) {
    this.#notes = notes
  }

  report(error: unknown, ctx: HttpContext): void {
    const failure = failureOf(error)
    if (failure.isFault) {
      const { status } = failure
      const surface = ctx.route?.name?.split('.')[0]
      ctx.logger.error({ err: failure.cause ?? failure, status, surface }, failure.message)
    }
    if (failure instanceof PermissionDenied) {
      this.#notes.addRefusal(ctx, failure)
    }
  }

  handle(error: unknown, ctx: HttpContext): void {
    const failure = failureOf(error)
    for (const [name, value] of Object.entries(failure.headers)) {
      ctx.response.header(name, value)
    }
    sendJson(ctx, envelopeOf(failure), failure.status)
  }
}
