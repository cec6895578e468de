import { envelopeOf } from '#http/failures'
import type { HttpContext } from '@adonisjs/core/http'

import { answer } from '#http/answer'
import type { JsonSchema } from '#http/surface'
import { OAuthFailure } from './oauth_failure.js'

type Endpoint = (ctx: HttpContext) => Promise<void> | void

/**
 * A route that carries tokens or secrets: nothing of it is kept on the way, and its refusals are in the words of OAuth.
 */
export function endpoint(handle: Endpoint): Endpoint {
  return async (ctx) => {
    forbidCaching(ctx)
    try {
      await handle(ctx)
    } catch (error) {
      if (!(error instanceof OAuthFailure)) {
        throw error
      }
      answerFailure(ctx, error)
    }
  }
}

export function forbidCaching({ response }: HttpContext): void {
  response.header('cache-control', 'no-store')
  response.header('pragma', 'no-cache')
}

/** What a refusal is answered with, beside the envelope of all failures. */
export const OAUTH_FAILURE: JsonSchema = {
  allOf: [{ $ref: '#/components/schemas/ErrorEnvelope' }],
  required: ['error', 'error_description'],
  properties: { error: { type: 'string' }, error_description: { type: 'string' } },
}

function answerFailure(ctx: HttpContext, failure: OAuthFailure): void {
  for (const [name, value] of Object.entries(failure.headers)) {
    ctx.response.header(name, value)
  }
  // Only to who used the header before: a browser would ask its user for a password.
  if (failure.status === 401 && ctx.request.header('authorization') !== undefined) {
    ctx.response.header('www-authenticate', 'Basic realm="clients", charset="UTF-8"')
  }
  const { error, message } = failure
  answer(ctx, { ...envelopeOf(failure), error, error_description: message }, failure.status)
}
