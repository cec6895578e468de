import type { HttpContext, HttpRequest } from '@adonisjs/core/http'

export interface RequestSpan {
  /** Runs the rest of the request inside the span, so that what it does becomes part of the trace. */
  run<T>(work: () => T): T
  end(ctx: HttpContext): void
}

export interface Tracing {
  startRequest(request: HttpRequest): RequestSpan
  /** Wraps a piece of work in a span of its own below the current one. */
  measure<T>(name: string, attributes: Record<string, string>, work: () => Promise<T>): Promise<T>
  shutdown(): Promise<void>
}
