import type { HttpContext } from '@adonisjs/core/http'

declare module '@adonisjs/core/http' {
  interface HttpContext {
    /** Resolves when the request is answered, where that is after its handler has returned. */
    answered?: Promise<void>
  }
}

/**
 * For answers that may be long in coming: the handler returns, so that nothing of what stood between it and the connection is kept
 * for so long. What fails is answered as if the handler had thrown it.
 */
export function respondLater(ctx: HttpContext, answered: Promise<void>): void {
  ctx.answered = answered
}
