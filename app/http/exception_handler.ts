import { inject } from '@adonisjs/core'
import { errors, ExceptionHandler, type HttpContext } from '@adonisjs/core/http'
import type { HttpError } from '@adonisjs/core/types/http'

import { failureOf } from './failure_of.js'
import { catalogue } from './route_catalogue.js'
import { sendJson } from './send_json.js'
import { SecurityAudit } from '#audit/security_audit'
import { envelopeOf, PermissionDenied, RouteNotFound, type Failure } from '#kernel/failures'

/** Responds to every error with the error envelope or a page, and logs those that are faults of the server. */
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

  /** Programs get the same envelope whatever they accept, and never a stack. */
  override async renderError(error: HttpError, ctx: HttpContext): Promise<void> {
    const failure = failureOf(error)
    for (const [name, value] of Object.entries(failure.headers)) {
      ctx.response.header(name, value)
    }
    const surface = prefersPage(ctx) ? catalogue.withPagesAt(ctx.request.url()) : undefined
    if (surface) {
      return surface.showFailure!(ctx, failure)
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

/** Browsers name HTML; programs that accept anything do not. */
const prefersPage = ({ request }: HttpContext): boolean =>
  request.accepts(['json', 'html']) === 'html'

function failureIn({ request }: HttpContext, error: unknown): Failure {
  return error instanceof errors.E_ROUTE_NOT_FOUND
    ? new RouteNotFound(request.method())
    : failureOf(error)
}
