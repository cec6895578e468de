import type { HttpContext } from '@adonisjs/core/http'

import type { BodyValidator } from '#kernel/body'
import { reportDroppedBody, requireNothingDropped } from './dropped_keys.js'
import { memberTexts } from './member_texts.js'

/** Validates the body of a request. Ignored attributes are reported in a header, even if validation fails. */
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
 * The JSON text of each attribute of the body: the original text if the route keeps it, since large numbers, duplicate
 * keys and the order of keys do not survive parsing.
 */
export function jsonMembers({ bodyText, request }: HttpContext): ReadonlyMap<string, string> {
  if (bodyText !== undefined) {
    return memberTexts(bodyText)
  }
  const sent = Object.entries(request.body()).filter(([, value]) => value !== undefined)
  return new Map(sent.map(([name, value]) => [name, JSON.stringify(value)]))
}
