import type { HttpContext } from '@adonisjs/core/http'

import { BadRequest } from '#kernel/failures'

const HEADER = 'idempotency-key'
const MAX_LENGTH = 255

export const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  description:
    'A unique key of this request: a repetition within 24 hours sends nothing and returns the first response',
  schema: { type: 'string', minLength: 1, maxLength: MAX_LENGTH },
  required: false,
}

/** The idempotency key of a request; undefined without one. */
export function idempotencyKeyOf({ request }: HttpContext): string | undefined {
  const key = request.request.headers[HEADER]?.toString()
  if (key !== undefined && (key === '' || key.length > MAX_LENGTH)) {
    throw new BadRequest(`An ${IDEMPOTENCY_KEY.name} has 1 to ${MAX_LENGTH} characters`)
  }
  return key
}
