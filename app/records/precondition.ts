import type { HttpContext } from '@adonisjs/core/http'

import { BadRequest } from '#kernel/failures'
import { issue } from '#kernel/issues'
import type { Attributes } from './row.js'

const ANY = '*'
/** Proxies that compress a response make its tag weak. */
const TAG = /^(?:W\/)?"([^"]*)"$/

/** Adds the version from `If-Match` to the body of an update. The service compares it. */
export function withPrecondition(
  { request: { request } }: HttpContext,
  attribute: string | undefined,
  body: Attributes
): Attributes {
  const header = request.headers['if-match']?.trim()
  if (attribute === undefined || header === undefined || header === ANY) {
    return body
  }
  const [, version] = TAG.exec(header) ?? []
  const sent = body[attribute]
  if (version === undefined || (sent !== undefined && sent !== version)) {
    const message = `If-Match must be a single entity tag with the same version as ${attribute}`
    throw new BadRequest(message, { issues: [issue('value_invalid', ['If-Match'], message)] })
  }
  return { ...body, [attribute]: version }
}
