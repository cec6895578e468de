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

type Next = () => Promise<void>

interface Guard {
  handle(ctx: HttpContext, next: Next): Promise<void>
}

/**
 * What every request passes before its route: it gets the headers each answer has, is observed, and goes through the guards
 * in their order.
 */
export class Entrance {
  readonly #cors: Guard
  readonly #authentication: Guard
  readonly #limits: Guard

  constructor(guards: { cors: Guard; authentication: Guard; limits: Guard }) {
    this.#cors = guards.cors
    this.#authentication = guards.authentication
    this.#limits = guards.limits
  }

  handle(ctx: HttpContext, next: Next): Promise<void> {
    const { request, response } = ctx
    for (const name in SECURITY_HEADERS) {
      response.header(name, SECURITY_HEADERS[name]!)
    }
    const startedAt = performance.now()
    const span = tracing?.startRequest(request)
    response.response.once('close', () => {
      observe(ctx, startedAt)
      span?.end(ctx)
    })
    const enter = () => this.#passGates(ctx, next)
    return span ? span.run(enter) : enter()
  }

  #passGates(ctx: HttpContext, next: Next): Promise<void> {
    const authenticated = () => this.#limits.handle(ctx, next)
    const allowed = () => this.#authentication.handle(ctx, authenticated)
    return ctx.request.request.headers.origin ? this.#cors.handle(ctx, allowed) : allowed()
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
