import { inject } from '@adonisjs/core'
import { errors, ExceptionHandler, type HttpContext } from '@adonisjs/core/http'
import type { HttpError } from '@adonisjs/core/types/http'

import { failureOf } from './failure_of.js'
import { sendJson } from './send_json.js'
import { SecurityAudit } from '#audit/security_audit'
import { envelopeOf, PermissionDenied, RouteNotFound, type Failure } from '#kernel/failures'

/** Responds to every error with the error envelope, and logs those that are faults of the server. */
@inject()
export default class HttpExceptionHandler extends ExceptionHandler {
  readonly #securityAudit: SecurityAudit

  constructor(securityAudit: SecurityAudit) {
    super()
    this.#securityAudit = securityAudit
  }

  override async report(error: unknown, ctx: HttpContext): Promise<void> {
    const failure = failureIn(ctx, error)
    if (failure instanceof PermissionDenied) {
      this.#securityAudit.addRefusal(ctx, failure)
    }
    if (this.shouldReport(failure)) {
      const { cause = failure, status, message } = failure
      ctx.logger.error({ err: cause, status, ...this.context(ctx) }, message)
    }
  }

  override handle(error: unknown, ctx: HttpContext): Promise<void> {
    return super.handle(failureIn(ctx, error), ctx)
  }

  /** Clients get the same envelope whatever they accept, and never a stack. */
  override async renderError(error: HttpError, ctx: HttpContext): Promise<void> {
    const failure = failureOf(error)
    for (const [name, value] of Object.entries(failure.headers)) {
      ctx.response.header(name, value)
    }
    sendJson(ctx, envelopeOf(failure), failure.status)
  }

  protected override shouldReport(error: HttpError): boolean {
    return failureOf(error).isFault && super.shouldReport(error)
  }

  protected override context(ctx: HttpContext): { surface: string | undefined } {
    return { surface: ctx.route?.name?.split('.')[0] }
  }
}

function failureIn({ request }: HttpContext, error: unknown): Failure {
  return error instanceof errors.E_ROUTE_NOT_FOUND
    ? new RouteNotFound(request.method())
    : failureOf(error)
}
