import type { HttpContext } from '@adonisjs/core/http'

import { RateLimited } from '#kernel/failures'
import type { Allowance, RateLimiter } from './rate_limiter.js'

/** Counts a request, or additional weight, against its caller's rate limit. Throws if it is exceeded. */
export async function countRequest(
  limiter: RateLimiter,
  ctx: HttpContext,
  weight = 1
): Promise<void> {
  const allowance = await limiter.count(ctx.actor, ctx.request.ip(), weight)
  if (allowance) {
    announce(ctx, allowance)
    if (allowance.exceeded) {
      throw new RateLimited(allowance.resetSeconds)
    }
  }
}

function announce({ response }: HttpContext, { limit, remaining, resetSeconds }: Allowance): void {
  response.header('ratelimit-limit', limit)
  response.header('ratelimit-remaining', remaining)
  response.header('ratelimit-reset', resetSeconds)
}
