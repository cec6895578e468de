import type { HttpContext } from '@adonisjs/core/http'

import { BadRequest } from '#kernel/failures'
import { issue } from '#kernel/issues'
import type { Attributes } from './row.js'

const ANY = '*'
/** What compresses answers on their way makes a tag weak. */
const TAG = /^(?:W\/)?"([^"]*)"$/

/**
 * The body of an update with the version that it is for, which a caller may send as an attribute or as `If-Match`. The service
 * compares it.
 */
export function withPrecondition(
  { request }: HttpContext,
  attribute: string | undefined,
  body: Attributes
): Attributes {
  const header = request.header('if-match')?.trim()
  if (attribute === undefined || header === undefined || header === ANY) {
    return body
  }
  const [, version] = TAG.exec(header) ?? []
  const sent = body[attribute]
  if (version === undefined || (sent !== undefined && sent !== version)) {
    const message = `If-Match has to be one entity tag, of the same version as ${attribute}`
    throw new BadRequest(message, { issues: [issue('value_invalid', ['If-Match'], message)] })
  }
  return { ...body, [attribute]: version }
}
