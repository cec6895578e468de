import type { HttpContext } from '@adonisjs/core/http'

import { failureOf } from '#http/failure_of'
import type { Failure } from '#kernel/failures'
import type { JsonSchema } from '#kernel/json_schema'
import { OAuthFailure } from './oauth_failure.js'

type Endpoint = (ctx: HttpContext) => Promise<void> | void

/** A route that carries tokens or secrets: nothing of it is kept on the way. */
export function uncached(handle: Endpoint): Endpoint {
  return (ctx) => {
    forbidCaching(ctx)
    return handle(ctx)
  }
}

export function forbidCaching({ response }: HttpContext): void {
  response.header('cache-control', 'no-store')
  response.header('pragma', 'no-cache')
}

/** What a refusal is answered with: the envelope of all failures, and the words of OAuth beside it. */
export const OAUTH_FAILURE: JsonSchema = {
  allOf: [{ $ref: '#/components/schemas/ErrorEnvelope' }],
  required: ['error', 'error_description'],
  properties: { error: { type: 'string' }, error_description: { type: 'string' } },
}

/** For what OAuth has no word of its own for, the word it has for its kind. */
const ERROR_CODES: Record<number, string> = {
  401: 'invalid_client',
  403: 'unauthorized_client',
  429: 'temporarily_unavailable',
  503: 'temporarily_unavailable',
}

/** Whatever a route that gives or takes tokens fails with, in the words of OAuth. */
export function toOAuthFailure(thrown: unknown, ctx: HttpContext): OAuthFailure {
  const failure = failureOf(thrown)
  forbidCaching(ctx)
  // Only to who used the header before: a browser would ask its user for a password.
  if (failure.status === 401 && ctx.request.header('authorization') !== undefined) {
    ctx.response.header('www-authenticate', 'Basic realm="clients", charset="UTF-8"')
  }
  return failure instanceof OAuthFailure ? failure : withErrorCode(failure)
}

function withErrorCode({ status, code, message, issues, headers, cause }: Failure): OAuthFailure {
  const error = ERROR_CODES[status] ?? (status < 500 ? 'invalid_request' : 'server_error')
  return new OAuthFailure(status, code, error, message, { issues, headers, cause })
}
