import type { HttpContext } from '@adonisjs/core/http'

import type { BodyValidator } from '#kernel/body'
import { nameDroppedBody, requireNothingDropped } from './dropped_keys.js'

/**
 * The body of a request as its validator takes it; what has no part in it is said in the answer, whatever that is.
 */
export async function bodyOf<Body>(
  ctx: HttpContext,
  validator: BodyValidator<Body>
): Promise<Body> {
  const sent = ctx.request.body()
  const dropped = validator.dropped(sent)
  nameDroppedBody(ctx, dropped)
  const body = await validator.validate(sent)
  requireNothingDropped(ctx, dropped)
  return body
}
