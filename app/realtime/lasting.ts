import type { Socket } from 'socket.io'

import type { Authenticator, Following } from '#auth/authentication_middleware'

/** Ends a socket with the session that its token came from. Undefined where nobody follows sessions. */
export function endWithSession(
  socket: Socket,
  token: string,
  authenticator: Authenticator
): Following | undefined {
  const closed = new AbortController()
  socket.once('disconnect', () => closed.abort())
  const following = authenticator.follow?.(token, closed.signal)
  following?.ended.addEventListener('abort', () => socket.disconnect(true), { once: true })
  return following
}
