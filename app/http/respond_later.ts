import type { HttpContext } from '@adonisjs/core/http'

declare module '@adonisjs/core/http' {
  interface HttpContext {
    /** Resolves when the response has been sent, if that is after the handler returned. */
    answered?: Promise<void>
  }
}

/**
 * Defers the response: the handler returns, so that nothing of the middleware stays in memory. A rejection is reported
 * as if the handler had thrown it.
 */
export function respondLater(ctx: HttpContext, answered: Promise<void>): void {
  ctx.answered = answered
}
