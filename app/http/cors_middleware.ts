import type { HttpContext } from '@adonisjs/core/http'
import FrameworkCors from '@adonisjs/cors/cors_middleware'

import { httpSettings, type OriginRules } from './http_settings.js'

/** Applies CORS with credentials for trusted origins, and without for all others. */
export default class CorsMiddleware {
  readonly #isTrusted: OriginRules['isTrusted']
  readonly #trusted: FrameworkCors
  readonly #others: FrameworkCors

  constructor() {
    const { isTrusted, withCredentials, withoutCredentials } = httpSettings().cors
    this.#isTrusted = isTrusted
    this.#trusted = new FrameworkCors(withCredentials)
    this.#others = new FrameworkCors(withoutCredentials)
  }

  handle(ctx: HttpContext, next: () => Promise<void>): Promise<void> {
    const { origin } = ctx.request.request.headers
    if (!origin) {
      return next()
    }
    return (this.#isTrusted(origin) ? this.#trusted : this.#others).handle(ctx, next)
  }
}
