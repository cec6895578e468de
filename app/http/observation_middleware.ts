import type { HttpContext } from '@adonisjs/core/http'

import { observeRequest } from '#observability/metrics'
import { tracing } from '#observability/tracing'

/**
 * Counts and times each request, writes it to the log, and traces it where there is a collector.
 */
export default class ObservationMiddleware {
  handle(ctx: HttpContext, next: () => Promise<void>): Promise<void> {
    const startedAt = performance.now()
    const span = tracing?.startRequest(ctx.request)
    ctx.response.response.once('close', () => {
      observe(ctx, startedAt)
      span?.end(ctx)
    })
    return span ? span.run(next) : next()
  }
}

function observe({ request, response, route, logger }: HttpContext, startedAt: number): void {
  const method = request.method()
  const status = response.response.statusCode
  const seconds = (performance.now() - startedAt) / 1000
  const surface = route?.name?.split('.')[0] ?? 'none'
  observeRequest({ surface, method, route: route?.pattern ?? 'none', status, seconds })
  const level = method === 'GET' || method === 'HEAD' ? 'debug' : 'info'
  if (logger.isLevelEnabled(level)) {
    logger[level](
      { method, path: request.url(), status, ms: Math.round(seconds * 1000) },
      'request answered'
    )
  }
}
