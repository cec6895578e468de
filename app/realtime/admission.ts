import type { Logger } from '@adonisjs/core/logger'
import type { Socket } from 'socket.io'

import type { Authenticator } from '#auth/authentication_middleware'
import { failureOf } from '#http/classify'
import { envelopeOf, Failure, Unauthorized } from '#kernel/failures'

import { requireMember } from './namespaces.js'

const TOKEN = /^(?:bearer )?([^\s]+)$/i

/**
 * Lets a socket into its namespace and answers the token that vouches for it; throws the failure that says why not.
 */
export async function admit(socket: Socket, authenticator: Authenticator): Promise<string> {
  const token = takeToken(socket)
  const actor = token === undefined ? undefined : await authenticator.verify(token)
  if (token === undefined || !actor) {
    throw new Unauthorized('A valid access token is needed: send it as auth.token')
  }
  requireMember(actor, socket.nsp.name)
  return token
}

/** Takes the token out of the handshake, which others print and pass on. */
function takeToken({ handshake }: Socket): string | undefined {
  const { auth } = handshake
  handshake.auth = {}
  const sent: unknown = auth?.token
  return typeof sent === 'string' ? TOKEN.exec(sent)?.[1] : undefined
}

/** What a client is told of a failure. What was not foreseen goes to the log. */
export function told(error: unknown, logger: Pick<Logger, 'error'>): ReturnType<typeof envelopeOf> {
  if (!(error instanceof Failure)) {
    logger.error({ err: error }, 'a socket was answered with an error')
  }
  return envelopeOf(failureOf(error))
}
