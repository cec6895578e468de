import type { HttpContext } from '@adonisjs/core/http'

import { failureOf } from '#http/failure_of'
import type { Failure } from '#kernel/failures'
import type { JsonSchema } from '#kernel/json_schema'
import { OAuthFailure } from './oauth_failure.js'

type Endpoint = (ctx: HttpContext) => Promise<void> | void

/** A route with tokens or secrets, whose responses must not be cached. */
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

/** The error response: the envelope of the platform with the OAuth fields beside it. */
export const OAUTH_FAILURE: JsonSchema = {
  allOf: [{ $ref: '#/components/schemas/ErrorEnvelope' }],
  required: ['error', 'error_description'],
  properties: { error: { type: 'string' }, error_description: { type: 'string' } },
}

/** The OAuth error codes of other failures. */
const ERROR_CODES: Record<number, string> = {
  401: 'invalid_client',
  403: 'unauthorized_client',
  429: 'temporarily_unavailable',
  503: 'temporarily_unavailable',
}

/** Converts any failure of a token route into an OAuth error. */
export function toOAuthFailure(thrown: unknown, ctx: HttpContext): OAuthFailure {
  const failure = failureOf(thrown)
  forbidCaching(ctx)
  // Only for callers that sent the header: otherwise a browser would prompt its user.
  if (failure.status === 401 && ctx.request.header('authorization') !== undefined) {
    ctx.response.header('www-authenticate', 'Basic realm="clients", charset="UTF-8"')
  }
  return failure instanceof OAuthFailure ? failure : withErrorCode(failure)
}

function withErrorCode({ status, code, message, issues, headers, cause }: Failure): OAuthFailure {
  const error = ERROR_CODES[status] ?? (status < 500 ? 'invalid_request' : 'server_error')
  return new OAuthFailure(status, code, error, message, { issues, headers, cause })
}
