import type { Server as HttpServer } from 'node:http'

import type { Logger } from '@adonisjs/core/logger'
import type { ServerOptions, Socket } from 'socket.io'

import type { Authenticator } from '#auth/authentication_middleware'
import type { Drain } from '#kernel/drain'

import { admit, told } from './admission.js'
import { Connections } from './connections.js'
import type { Emission, Emitter } from './emission.js'
import { spellingsOf } from './namespaces.js'
import { OpenNamespaces } from './open_namespaces.js'
import type { Peers } from './peers.js'
import { ResourceSocket } from './resource_socket.js'

const REVIEW_EVERY_MS = 60_000

interface RealtimeOptions {
  readonly authenticator: Authenticator
  readonly drain: Drain
  readonly logger: Pick<Logger, 'error'>
  /** Where it is reached, as it is seen from outside. */
  readonly path: string
  /** The processes that share the port, where there are others. */
  readonly peers?: Peers
  readonly cors?: ServerOptions['cors']
  /** What hears the events of other processes. */
  readonly adapter?: ServerOptions['adapter']
  /** How often it is looked at whether each connection may still receive what it receives. */
  readonly reviewEveryMs?: number
}

/**
 * Tells connected clients of changes as they happen: each asks for the records it wants to hear of.
 */
export class RealtimeServer implements Emitter {
  readonly #options: RealtimeOptions
  readonly #connections: Connections
  readonly #namespaces: OpenNamespaces
  readonly #tokens = new WeakMap<Socket, string>()
  readonly #served = new Set<ResourceSocket>()
  readonly #review: NodeJS.Timeout

  constructor(options: RealtimeOptions) {
    const { path, peers, cors, adapter, drain, reviewEveryMs = REVIEW_EVERY_MS } = options
    const isClosing = () => drain.begun
    this.#options = options
    this.#connections = new Connections({ path, peers, cors, adapter, isClosing })
    this.#namespaces = new OpenNamespaces(
      this.#connections.io,
      (socket) => this.#admit(socket),
      (socket) => this.#serve(socket)
    )
    this.#review = setInterval(() => this.#reviewAll(), reviewEveryMs).unref()
    drain.signal.addEventListener('abort', () => this.close(), { once: true })
  }

  /** Serves sockets on the port of a server, beside what it answers already. */
  async attach(server: HttpServer): Promise<void> {
    await this.#connections.listenToPeers()
    this.#connections.attach(server)
  }

  /** Tells the sockets of this process. */
  async emit(emissions: readonly Emission[]): Promise<void> {
    for (const { namespace, room, event, payload } of emissions) {
      for (const spelling of spellingsOf(namespace)) {
        this.#namespaces.get(spelling)?.to(room).emit(event, payload)
      }
    }
  }

  close(): void {
    clearInterval(this.#review)
    this.#connections.close()
  }

  async #admit(socket: Socket): Promise<void> {
    const { authenticator, logger } = this.#options
    try {
      this.#tokens.set(socket, await admit(socket, authenticator))
    } catch (error) {
      const data = told(error, logger)
      throw Object.assign(new Error(data.message), { data })
    }
  }

  #serve(socket: Socket): void {
    const { authenticator, logger } = this.#options
    const token = this.#tokens.get(socket)!
    const served = new ResourceSocket(socket, { token, authenticator, logger })
    this.#served.add(served)
    socket.once('disconnect', () => this.#served.delete(served))
  }

  #reviewAll(): void {
    this.#served.forEach((socket) => void socket.review())
  }
}
