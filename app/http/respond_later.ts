import type { HttpContext } from '@adonisjs/core/http'

import ExceptionHandler from './exception_handler.js'
import { releaseRawHeaders } from './release_headers.js'

/**
 * Defers the response: the handler returns, so that nothing of the middleware stays in memory. A rejection is reported
 * as if the handler had thrown it.
 */
export function respondLater(ctx: HttpContext, answered: Promise<void>): void {
  const { request, response, logger } = ctx
  const finish = response.finish.bind(response)
  // The server finishes the response when the handler has returned.
  response.finish = () => {}
  releaseRawHeaders(request.request)
  answered
    .catch((error) => sendFailure(ctx, error))
    .then(finish)
    .catch((error) => {
      logger.fatal({ err: error }, 'a request could not be answered with an error')
      response.response.destroy()
    })
}

async function sendFailure(ctx: HttpContext, error: unknown): Promise<void> {
  const failures = await ctx.containerResolver.make(ExceptionHandler)
  await failures.report(error, ctx)
  await failures.handle(error, ctx)
}
