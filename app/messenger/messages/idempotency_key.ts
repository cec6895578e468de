import type { HttpContext } from '@adonisjs/core/http'

import { BadRequest } from '#kernel/failures'

const HEADER = 'idempotency-key'
const MAX_LENGTH = 255

export const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  description:
    'What the sender knows this request by: one that comes again within 24 hours with the same key sends nothing, and is answered as the first was',
  schema: { type: 'string', minLength: 1, maxLength: MAX_LENGTH },
  required: false,
}

/** The key of a request; undefined where it has none. */
export function idempotencyKeyOf({ request }: HttpContext): string | undefined {
  const key = request.request.headers[HEADER]?.toString()
  if (key !== undefined && (key === '' || key.length > MAX_LENGTH)) {
    throw new BadRequest(`An ${IDEMPOTENCY_KEY.name} has 1 to ${MAX_LENGTH} characters`)
  }
  return key
}
