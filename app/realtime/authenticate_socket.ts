import type { Logger } from '@adonisjs/core/logger'
import type { Socket } from 'socket.io'

import type { Authenticator } from '#auth/authenticator'
import type { ClientActivity } from '#http/client_activity'
import { failureOf } from '#http/failure_of'
import type { Actor } from '#kernel/actor'
import { envelopeOf, Failure, Unauthorized } from '#kernel/failures'
import { connectionOf } from './engine_connection.js'

const TOKEN = /^(?:bearer )?([^\s]+)$/i

/** Whom a socket belongs to, and its access token. */
export interface SocketIdentity {
  readonly actor: Actor
  readonly token: string
}

interface SocketAuthenticationOptions {
  readonly authenticator: Authenticator
  readonly logger: Pick<Logger, 'error'>
  /** Notes what comes from clients; undefined without a caller. */
  readonly activity?: Pick<ClientActivity, 'note'> | undefined
  /** Throws if the caller may not use the namespace. */
  readonly requireEntry: (actor: Actor, socket: Socket) => void
}

/** Authenticates a socket. Rejects with an error whose `data` is the envelope sent to the client. */
export async function authenticateSocket(
  socket: Socket,
  gate: SocketAuthenticationOptions
): Promise<SocketIdentity> {
  const { authenticator, logger, activity, requireEntry } = gate
  try {
    const token = takeToken(socket)
    const actor = token === undefined ? undefined : await authenticator.verify(token)
    if (token === undefined || !actor) {
      throw new Unauthorized('A valid access token is needed: send it as auth.token')
    }
    requireEntry(actor, socket)
    activity?.note(actor)
    // A connection whose client is gone stays open for a while, so only what is received counts.
    connectionOf(socket).on('packet', () => activity?.note(actor))
    return { actor, token }
  } catch (error) {
    const data = toErrorEnvelope(error, logger)
    throw Object.assign(new Error(data.message), { data })
  }
}

/** Removes the token from the handshake, which other code logs and passes on. */
function takeToken({ handshake }: Socket): string | undefined {
  const { auth } = handshake
  handshake.auth = {}
  const sent: unknown = auth?.token
  return typeof sent === 'string' ? TOKEN.exec(sent)?.[1] : undefined
}

/** The error envelope for a client. Unexpected errors are logged. */
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
