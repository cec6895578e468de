import type { HttpContext } from '@adonisjs/core/http'

import { observeRequest } from '#observability/metrics'
import { tracing } from '#observability/tracing'
import { env } from '#start/env'

const SECURITY_HEADERS: Record<string, string> = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'vary': 'Origin',
  ...(env.PUBLIC_URL.startsWith('https:') && { 'strict-transport-security': 'max-age=31536000' }),
}

/**
 * Around every request: the headers each answer has, and what is observed of it once it ended.
 */
export default class RequestMiddleware {
  handle(ctx: HttpContext, next: () => Promise<void>): Promise<void> {
    const { request, response } = ctx
    for (const name in SECURITY_HEADERS) {
      response.response.setHeader(name, SECURITY_HEADERS[name]!)
    }
    const startedAt = performance.now()
    const span = tracing?.startRequest(request)
    response.response.once('close', () => {
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
