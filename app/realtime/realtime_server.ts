import type { Server as HttpServer } from 'node:http'

import type { Socket } from 'socket.io'

import type { Actor } from '#kernel/actor'

import { admit, type Admitted } from './admission.js'
import { Connections } from './connections.js'
import { emitTo, type Emission, type Emitter } from './emission.js'
import { requireMember, spellingsOf } from './namespaces.js'
import { OpenNamespaces } from './open_namespaces.js'
import { ResourceSocket } from './resource_socket.js'
import type { SiteOptions, SocketSite } from './socket_site.js'

const REVIEW_EVERY_MS = 60_000

interface RealtimeOptions extends SiteOptions {
  /** How often it is looked at whether each connection may still receive what it receives. */
  readonly reviewEveryMs?: number
}

/**
 * Tells connected clients of changes as they happen: each subscribes to the records it wants to follow.
 */
export class RealtimeServer implements Emitter, SocketSite {
  readonly #options: RealtimeOptions
  readonly #connections: Connections
  readonly #namespaces: OpenNamespaces
  readonly #admitted = new WeakMap<Socket, Admitted>()
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
    await this.#connections.attach(server)
  }

  /** Tells the sockets of this process. */
  async emit(emissions: readonly Emission[]): Promise<void> {
    for (const emission of emissions) {
      for (const spelling of spellingsOf(emission.namespace)) {
        const namespace = this.#namespaces.get(spelling)
        if (namespace) {
          emitTo(namespace, emission)
        }
      }
    }
  }

  close(): void {
    clearInterval(this.#review)
    this.#connections.close()
  }

  async #admit(socket: Socket): Promise<void> {
    const { authenticator, logger } = this.#options
    const requireEntry = (actor: Actor) => requireMember(actor, socket.nsp.name)
    const admitted = await admit(socket, { authenticator, logger, requireEntry })
    this.#connections.own(socket, `${admitted.actor.kind}:${admitted.actor.id}`)
    this.#admitted.set(socket, admitted)
  }

  #serve(socket: Socket): void {
    const { authenticator, logger } = this.#options
    const admitted = this.#admitted.get(socket)!
    const served = new ResourceSocket(socket, { ...admitted, authenticator, logger })
    this.#served.add(served)
    socket.once('disconnect', () => this.#served.delete(served))
  }

  #reviewAll(): void {
    this.#served.forEach((socket) => void socket.review())
  }
}
