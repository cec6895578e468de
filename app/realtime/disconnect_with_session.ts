import type { Socket } from 'socket.io'

import type { Authenticator, SessionWatch } from '#auth/authentication_middleware'

/** Ends a socket with the session that its token came from. Undefined where nobody follows sessions. */
export function disconnectWithSession(
  socket: Socket,
  token: string,
  authenticator: Authenticator
): SessionWatch | undefined {
  const closed = new AbortController()
  socket.once('disconnect', () => closed.abort())
  const watch = authenticator.watchSession?.(token, closed.signal)
  watch?.ended.addEventListener('abort', () => socket.disconnect(true), { once: true })
  return watch
}
