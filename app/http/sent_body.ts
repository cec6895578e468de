import type { HttpContext } from '@adonisjs/core/http'

import type { BodyValidator } from '#http/body'
import { reportDroppedBody } from '#http/dropped_keys'

/**
 * The body of a request as its validator takes it; what has no part in it is said in the answer.
 */
export async function bodyOf<Body>(
  ctx: HttpContext,
  validator: BodyValidator<Body>
): Promise<Body> {
  const sent = ctx.request.body()
  const body = await validator.validate(sent)
  reportDroppedBody(ctx, validator.dropped(sent))
  return body
}
