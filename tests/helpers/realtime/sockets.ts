import { once } from 'node:events'
import type { AddressInfo } from 'node:net'

import { io, type ManagerOptions, type Socket, type SocketOptions } from 'socket.io-client'

import type { GracefulServer } from '#http/graceful_server'
import { createListener } from '#http/listener'
import { RealtimeServer } from '#realtime/realtime_server'
import type { SocketServerOptions, SocketServer as ServedSite } from '#realtime/socket_server'
import { Drain } from '#kernel/drain'

type RealtimeOptions = ConstructorParameters<typeof RealtimeServer>[0]
type Handle = Parameters<typeof createListener>[0]
type Given = Pick<SocketServerOptions, 'authenticator'> & Partial<SocketServerOptions>

export interface SocketSite<Site = RealtimeServer> {
  readonly url: string
  readonly server: GracefulServer
  readonly realtime: Site
  readonly drain: Drain
  /** What was logged. */
  readonly logged: unknown[]
  /** A client with its own connection, which is closed with the site. */
  connect(
    namespace: string,
    token?: unknown,
    options?: Partial<ManagerOptions & SocketOptions>
  ): Socket
  close(): Promise<void>
}

interface Mount {
  readonly handle?: Handle
  readonly prefix?: string
}

/**
 * Serves sockets of core on a free port, as a process of the platform does, with a drain of its own.
 */
export function socketSite(
  options: Pick<RealtimeOptions, 'authenticator'> & Partial<RealtimeOptions>,
  mount?: Mount
): Promise<SocketSite> {
  return siteOf(async (given) => new RealtimeServer({ ...given, ...options }), options, mount)
}

/** The same for sockets of another kind. */
export async function siteOf<Site extends ServedSite>(
  open: (options: SocketServerOptions) => Promise<Site>,
  options: Given,
  { handle = notFound, prefix = '' }: Mount = {}
): Promise<SocketSite<Site>> {
  const drain = new Drain()
  const logged: unknown[] = []
  const { path = '/socket.io' } = options
  const server = createListener(handle, { prefix, drain })
  const logger = { error: (...args: unknown[]) => void logged.push(args) }
  const realtime = await open({ drain, logger, ...options, path })
  await realtime.attach(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const clients: Socket[] = []
  return {
    url,
    server,
    realtime,
    drain,
    logged,
    connect(namespace, token, given = {}) {
      const client = io(url + namespace, {
        path,
        auth: token === undefined ? {} : { token },
        transports: ['websocket'],
        forceNew: true,
        reconnection: false,
        ...given,
      })
      clients.push(client)
      return client
    },
    async close() {
      clients.forEach((client) => client.disconnect())
      drain.start()
      await server.closeGracefully()
    },
  }
}

const notFound: Handle = (_request, response) => response.writeHead(404).end('application')

/** Waits until a socket is connected. Rejects with its failure. */
export function connected(socket: Socket): Promise<Socket> {
  return new Promise((resolve, reject) => {
    socket.once('connect', () => resolve(socket))
    socket.once('connect_error', reject)
  })
}

/** The failure of a refused socket. */
export function refusal(socket: Socket): Promise<Error & { data?: Record<string, unknown> }> {
  return new Promise((resolve, reject) => {
    socket.once('connect', () => reject(new Error('it was let in')))
    socket.once('connect_error', resolve)
  })
}

/** Emits an event and returns the acknowledgement. */
export function emitWithAck(socket: Socket, event: string, ...args: unknown[]): Promise<unknown> {
  return new Promise((resolve, reject) => {
    socket.timeout(20_000).emit(event, ...args, (late: Error | null, answer: unknown) => {
      if (late) {
        reject(late)
      } else {
        resolve(answer)
      }
    })
  })
}

/** Collects all further payloads of an event. */
export function received(socket: Socket, event: string): unknown[] {
  const payloads: unknown[] = []
  socket.on(event, (payload) => payloads.push(payload))
  return payloads
}

/** Resolves when a socket has received everything that was sent before. */
export async function settled(socket: Socket): Promise<void> {
  const pong = new Promise((resolve) => socket.once('pong', resolve))
  socket.emit('ping')
  await pong
}
