import type { HttpContext } from '@adonisjs/core/http'
import CorsMiddleware from '@adonisjs/cors/cors_middleware'

import { isTrusted, withCredentials, withoutCredentials } from '#config/cors'

/**
 * Says which pages of other origins may call, and whether with credentials.
 */
export class Origins {
  readonly #trusted = new CorsMiddleware(withCredentials)
  readonly #others = new CorsMiddleware(withoutCredentials)

  async handle(ctx: HttpContext, next: () => Promise<void>): Promise<void> {
    const cors = isTrusted(ctx.request.header('origin') ?? '') ? this.#trusted : this.#others
    await cors.handle(ctx, next)
  }
}
