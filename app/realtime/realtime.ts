import type { ApplicationService } from '@adonisjs/core/types'
import type { ServerOptions } from 'socket.io'

import { Authenticator } from '#auth/authenticator'
import { ClientActivity } from '#http/client_activity'
import type { GracefulServer } from '#http/graceful_server'
import { drain } from '#kernel/drain'
import { publicPrefix, type Served } from '#configuration/surfaces'
import type { ReportError } from '#signals/signals'

import type { Emission, Emitter } from './emission.js'
import { Peers } from './peers.js'
import {
  SOCKET_PATH,
  type OpenSocketServer,
  type SocketServerOptions,
  type SocketServer,
} from './socket_server.js'

interface ServeOptions {
  readonly cors: ServerOptions['cors']
  /** The folder of the Unix sockets of processes on one port. */
  readonly peerFolder?: string
}

interface RealtimeOptions {
  /** Whether records are announced to sockets. */
  readonly isEnabled: boolean
  readonly redisUrl: string | undefined
  /** The surfaces that this process serves. */
  readonly surfaces: readonly Served[]
}

/**
 * Delivers events to sockets of all processes. With Redis, a process reaches the sockets of others even if it
 * serves none itself. Without it, only sockets of this process receive events.
 */
export class Realtime implements Emitter {
  readonly #redisUrl: string | undefined
  readonly #surfaces: readonly Served[]
  readonly #redisConnections: { close(): void }[] = []
  readonly #serverFactories = new Map<Served, OpenSocketServer>()
  #redis: Promise<Emitter> | undefined
  #activeEmitter: Emitter | undefined

  constructor({ redisUrl, surfaces }: RealtimeOptions) {
    this.#redisUrl = redisUrl
    this.#surfaces = surfaces
  }

  static async open(options: RealtimeOptions): Promise<Realtime> {
    const realtime = new Realtime(options)
    if (options.isEnabled) {
      realtime.#activeEmitter = await realtime.#redisEmitter()
      realtime.serveAt('core', (served) => realtime.#openResources(served))
    }
    return realtime
  }

  async emit(emissions: readonly Emission[]): Promise<void> {
    await this.#activeEmitter?.emit(emissions)
  }

  /** Registers the socket server of a surface. It runs in the processes that serve the surface. */
  serveAt(surface: Served, open: OpenSocketServer): void {
    this.#serverFactories.set(surface, open)
  }

  /** Serves sockets on the port of the surfaces until the process is drained. */
  async serve(
    { container }: ApplicationService,
    server: GracefulServer,
    { cors, peerFolder }: ServeOptions
  ): Promise<void> {
    const authenticator = await container.make(Authenticator)
    const served = this.#surfaces.filter((surface) => this.#serverFactories.has(surface))
    const logger = await container.make('logger')
    const activity = await container.make(ClientActivity)
    const report: ReportError = (error, what) => logger.warn({ err: error }, what)
    const sharedOptions = async (name: string) => ({
      peers: peerFolder === undefined ? undefined : new Peers(peerFolder, name),
      cors,
      adapter: await this.#adapter(report),
      drain,
    })
    const socketServers = new Map<Served, SocketServer>()
    for (const surface of served) {
      const socketServer = await this.#serverFactories.get(surface)!({
        ...(await sharedOptions(surface)),
        authenticator,
        logger,
        activity,
        path: `${publicPrefix(surface, this.#surfaces)}${SOCKET_PATH}`,
        emitter: await this.#redisEmitter(),
      })
      socketServers.set(surface, socketServer)
      await socketServer.attach(server)
    }
    if (socketServers.size > 0 && this.#surfaces.length > 1) {
      const { serveAtRoot } = await import('./root_connections.js')
      await serveAtRoot(server, socketServers, await sharedOptions('root'))
    }
  }

  /** Closes the Redis connections of sockets. */
  close(): void {
    this.#redisConnections.splice(0).forEach((connection) => connection.close())
  }

  async #openResources(options: SocketServerOptions): Promise<SocketServer> {
    const { RealtimeServer } = await import('./realtime_server.js')
    const socketServer = new RealtimeServer(options)
    this.#activeEmitter ??= socketServer
    return socketServer
  }

  /** The emitter to other processes, shared by all surfaces. */
  async #redisEmitter(): Promise<Emitter | undefined> {
    const url = this.#redisUrl
    this.#redis ??= url === undefined ? undefined : this.#connect(url)
    return this.#redis
  }

  async #connect(url: string): Promise<Emitter> {
    const { RedisEmitter } = await import('./redis_emitter.js')
    const emitter = await RedisEmitter.connect(url)
    this.#redisConnections.push(emitter)
    return emitter
  }

  async #adapter(report: ReportError) {
    if (!this.#redisUrl) {
      return undefined
    }
    const { RedisSubscriber } = await import('./redis_subscriber.js')
    const subscriber = await RedisSubscriber.connect(this.#redisUrl, report)
    this.#redisConnections.push(subscriber)
    return subscriber.adapter
  }
}
