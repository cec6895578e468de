import { io, type ManagerOptions, type Socket, type SocketOptions } from 'socket.io-client'

import { Signals } from '#signals/signals'
import { RateLimiter } from '#http/rate_limiter'
import { Wakeups } from '#messenger/delivery/wakeups'
import { Relay } from '#messenger/relay/relay'
import { at, boot, isTogether } from '#tests/helpers/application'
import { connected, siteOf } from '#tests/helpers/realtime/sockets'
import type { Somebody } from './messenger_scene.js'

type ClientOptions = Parameters<typeof siteOf>[1]
type Cleanup = (callback: () => void) => void

/** Another relay next to that of the suite, for other kinds of callers. */
export async function relaySite(options: ClientOptions, limits?: RateLimiter) {
  const app = await boot()
  const signals = await app.container.make(Signals)
  const wakeups = await app.container.make(Wakeups)
  const limiter = limits ?? (await app.container.make(RateLimiter))
  return siteOf((given) => Relay.open({ ...given, signals, wakeups, limiter }), options)
}

/** A client of the relay of the running suite. */
export function relayClient(
  { headers }: Pick<Somebody, 'headers'>,
  options: Partial<ManagerOptions & SocketOptions> = {},
  namespace = '/'
): Socket {
  return io(new URL(at('messenger')).origin + namespace, {
    path: isTogether() ? '/messenger/socket.io' : '/socket.io',
    auth: { token: headers.authorization },
    transports: ['websocket'],
    forceNew: true,
    reconnection: false,
    ...options,
  })
}

/** Connects a client until the test ends, or earlier. */
export async function connect(
  whose: Pick<Somebody, 'headers'>,
  cleanup: Cleanup,
  options?: Parameters<typeof relayClient>[1]
): Promise<Socket> {
  const socket = relayClient(whose, options)
  cleanup(() => void socket.disconnect())
  return connected(socket)
}

/** Records the events of a socket from now on. */
export function recordEvents(socket: Socket): unknown[][] {
  const events: unknown[][] = []
  socket.onAny((...event) => events.push(event))
  return events
}

/** The failure of a response, and its details. */
export function answered(socket: Socket, event: string, ...args: unknown[]): Promise<unknown[]> {
  return new Promise((resolve, reject) => {
    socket.timeout(2_000).emit(event, ...args, (late: Error | null, ...answer: unknown[]) => {
      if (late) {
        reject(late)
      } else {
        resolve(answer)
      }
    })
  })
}
