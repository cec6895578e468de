import type { HttpContext } from '@adonisjs/core/http'

import type { BodyValidator } from '#kernel/body'
import { reportDroppedBody, requireNothingDropped } from './dropped_keys.js'
import { memberTexts } from './member_texts.js'

/**
 * The body of a request as its validator takes it; what has no part in it is said in the answer, whatever that is.
 */
export async function validatedBody<Body>(
  ctx: HttpContext,
  validator: BodyValidator<Body>
): Promise<Body> {
  const sent = ctx.request.body()
  const dropped = validator.dropped(sent)
  reportDroppedBody(ctx, dropped)
  const body = await validator.validate(sent)
  requireNothingDropped(ctx, dropped)
  return body
}

/**
 * The JSON of each attribute of the body that was sent: as it was written, where the route keeps that, since a number, a key that
 * stands twice or the order of keys need not survive being parsed.
 */
export function jsonMembers({ bodyText, request }: HttpContext): ReadonlyMap<string, string> {
  if (bodyText !== undefined) {
    return memberTexts(bodyText)
  }
  const sent = Object.entries(request.body()).filter(([, value]) => value !== undefined)
  return new Map(sent.map(([name, value]) => [name, JSON.stringify(value)]))
}
