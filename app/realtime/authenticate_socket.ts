import type { Logger } from '@adonisjs/core/logger'
import type { Socket } from 'socket.io'

import type { Authenticator } from '#auth/authentication_middleware'
import { failureOf } from '#http/failure_of'
import type { Actor } from '#kernel/actor'
import { envelopeOf, Failure, Unauthorized } from '#kernel/failures'

const TOKEN = /^(?:bearer )?([^\s]+)$/i

/** Who a socket belongs to, and the token that vouches for it. */
export interface SocketIdentity {
  readonly actor: Actor
  readonly token: string
}

interface SocketAuthenticationOptions {
  readonly authenticator: Authenticator
  readonly logger: Pick<Logger, 'error'>
  /** Throws where the caller may not enter. */
  readonly requireEntry: (actor: Actor, socket: Socket) => void
}

/**
 * Answers who a socket belongs to. Rejects with what the client is told where it is not let in.
 */
export async function authenticateSocket(
  socket: Socket,
  gate: SocketAuthenticationOptions
): Promise<SocketIdentity> {
  const { authenticator, logger, requireEntry } = gate
  try {
    const token = takeToken(socket)
    const actor = token === undefined ? undefined : await authenticator.verify(token)
    if (token === undefined || !actor) {
      throw new Unauthorized('A valid access token is needed: send it as auth.token')
    }
    requireEntry(actor, socket)
    return { actor, token }
  } catch (error) {
    const data = toErrorEnvelope(error, logger)
    throw Object.assign(new Error(data.message), { data })
  }
}

/** Takes the token out of the handshake, which others print and pass on. */
function takeToken({ handshake }: Socket): string | undefined {
  const { auth } = handshake
  handshake.auth = {}
  const sent: unknown = auth?.token
  return typeof sent === 'string' ? TOKEN.exec(sent)?.[1] : undefined
}

/** What a client is told of a failure. What was not foreseen goes to the log. */
export function toErrorEnvelope(
  error: unknown,
  logger: Pick<Logger, 'error'>
): ReturnType<typeof envelopeOf> {
  const failure = failureOf(error)
  if (!(error instanceof Failure) && failure.isFault) {
    logger.error({ err: error }, 'a socket was answered with an error')
  }
  return envelopeOf(failure)
}
