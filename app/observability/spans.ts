import type { HttpContext, HttpRequest } from '@adonisjs/core/http'

export interface RequestSpan {
  /** Runs the rest of the request inside the span. */
  run<T>(work: () => T): T
  end(ctx: HttpContext): void
}

export interface Tracing {
  startRequest(request: HttpRequest): RequestSpan
  /** Runs an operation in a child span. */
  measure<T>(name: string, attributes: Record<string, string>, work: () => Promise<T>): Promise<T>
  shutdown(): Promise<void>
}
