import type { HttpContext } from '@adonisjs/core/http'
import type { Logger } from '@adonisjs/core/logger'

import { observeRequest } from '#observability/metrics'
import type { Actor } from '#kernel/actor'
import type { RequestSpan } from '#tracing/spans'

declare module '@adonisjs/core/http' {
  interface HttpContext {
    observation?: Observation
  }
}

/** The facts that are logged and counted at the end of a request. */
interface RequestSummary {
  readonly surface: string
  readonly method: string
  readonly route: string
  readonly path: string
  /** Undefined if the level is disabled. */
  readonly logger: Logger | undefined
  readonly level: 'debug' | 'info'
}

/** Observes a request until its connection has the response or is closed. */
export class Observation {
  readonly #startedAt = performance.now()
  readonly #span: RequestSpan | undefined
  #ctx: HttpContext | undefined
  #summary: RequestSummary | undefined

  constructor(ctx: HttpContext, span: RequestSpan | undefined) {
    this.#ctx = ctx
    this.#span = span
  }

  /** Undefined without authentication, and after `settle`. */
  get caller(): Actor | undefined {
    return this.#ctx?.actor
  }

  /** Captures the summary early for long-running responses, so that the context can be freed. */
  settle(): void {
    if (this.#ctx && !this.#span) {
      this.#summary = summaryOf(this.#ctx)
      this.#ctx = undefined
    }
  }

  end(status: number): void {
    const { surface, method, route, path, logger, level } = this.#summary ?? summaryOf(this.#ctx!)
    const seconds = (performance.now() - this.#startedAt) / 1000
    observeRequest({ surface, method, route, status, seconds })
    const ms = Math.round(seconds * 1000)
    logger?.[level]({ surface, method, path, status, ms }, 'request answered')
    this.#span?.end(this.#ctx!)
  }
}

function summaryOf({ request, route, logger }: HttpContext): RequestSummary {
  const method = request.method()
  const level = method === 'GET' || method === 'HEAD' ? 'debug' : 'info'
  return {
    surface: route?.name?.split('.')[0] ?? 'none',
    method,
    route: route?.pattern ?? 'none',
    path: request.url(),
    logger: logger.isLevelEnabled(level) ? logger : undefined,
    level,
  }
}
