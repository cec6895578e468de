import type { HttpContext } from '@adonisjs/core/http'
import CorsMiddleware from '@adonisjs/cors/cors_middleware'
import type { CorsConfig } from '@adonisjs/cors/types'

export interface OriginRules {
  /** Whether pages of an origin may send credentials. */
  isTrusted(origin: string): boolean
  readonly withCredentials: CorsConfig
  readonly withoutCredentials: CorsConfig
}

/**
 * Says which pages of other origins may call, and whether with credentials.
 */
export class Origins {
  readonly #isTrusted: OriginRules['isTrusted']
  readonly #trusted: CorsMiddleware
  readonly #others: CorsMiddleware

  constructor({ isTrusted, withCredentials, withoutCredentials }: OriginRules) {
    this.#isTrusted = isTrusted
    this.#trusted = new CorsMiddleware(withCredentials)
    this.#others = new CorsMiddleware(withoutCredentials)
  }

  async handle(ctx: HttpContext, next: () => Promise<void>): Promise<void> {
    const cors = this.#isTrusted(ctx.request.header('origin') ?? '') ? this.#trusted : this.#others
    await cors.handle(ctx, next)
  }
}
