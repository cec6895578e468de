import type { Socket } from 'socket.io'

import type { Authenticator, SessionWatch } from '#auth/authenticator'

/** Disconnects a socket when the session of its token ends. Undefined if the authenticator does not watch sessions. */
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
