import { errors } from '@vinejs/vine'
import type { HttpContext } from '@adonisjs/core/http'

import type { BodyValidator } from '#kernel/body'
import { bodyFailure } from '#kernel/body_issues'
import { InvalidClient, InvalidRequest } from './oauth_failure.js'

/** The parameters of an OAuth request. Empty ones count as missing, repeated ones are rejected. */
export async function parametersOf<Body>(
  { request }: HttpContext,
  validator: BodyValidator<Body>
): Promise<Body> {
  const parameters = Object.entries(request.body()).filter(
    ([, value]) => value !== '' && value !== null
  )
  try {
    return await validator.validate(Object.fromEntries(parameters))
  } catch (error) {
    if (error instanceof errors.E_VALIDATION_ERROR) {
      const { message, issues } = bodyFailure(error)
      throw new InvalidRequest(message, { issues, cause: error })
    }
    throw error
  }
}

/** The unverified credentials of a client. */
export interface ClientCredentials {
  readonly id: string
  readonly secret: string | undefined
}

interface CredentialsInBody {
  readonly client_id?: string
  readonly client_secret?: string
}

/** The credentials of a client from HTTP Basic or the body; undefined without any. */
export function clientCredentialsOf(
  { request }: HttpContext,
  { client_id: id, client_secret: secret }: CredentialsInBody
): ClientCredentials | undefined {
  const basic = /^basic (.*)$/i.exec(request.header('authorization') ?? '')?.[1]
  if (basic === undefined) {
    return id === undefined ? undefined : { id, secret }
  }
  const credentials = basicCredentials(basic)
  if (secret !== undefined || (id !== undefined && id !== credentials.id)) {
    throw new InvalidRequest('Send the client credentials either in the header or in the body.')
  }
  return credentials
}

/** Both parts are form-encoded before they are joined (RFC 6749). */
function basicCredentials(encoded: string): ClientCredentials {
  const [, id, secret] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? []
  if (!id) {
    throw new InvalidClient()
  }
  return { id: formDecoded(id), secret: formDecoded(secret!) || undefined }
}

function formDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw new InvalidClient()
  }
}
