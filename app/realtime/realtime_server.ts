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

/** Tokens are the longest thing that is sent here, and they may have 16 KiB. */
const MOST_BYTES = 32 * 1024
const REVIEW_EVERY_MS = 60_000

interface RealtimeOptions extends SiteOptions {
  /** How often it is looked at whether each connection may still receive what it receives. */
  readonly reviewEveryMs?: number
}

/**
 * Tells connected clients of changes as they happen: each subscribes to the records it wants to follow.
 */
export class RealtimeServer implements Emitter, SocketSite {
  readonly mostBytes = MOST_BYTES
  readonly #options: RealtimeOptions
  readonly #connections: Connections
  readonly #namespaces: OpenNamespaces[] = []
  readonly #admitted = new WeakMap<Socket, Admitted>()
  readonly #served = new Set<ResourceSocket>()
  readonly #review: NodeJS.Timeout

  constructor(options: RealtimeOptions) {
    const { path, peers, cors, adapter, drain, reviewEveryMs = REVIEW_EVERY_MS } = options
    const isClosing = () => drain.begun
    this.#options = options
    const { mostBytes } = this
    this.#connections = new Connections({ path, peers, cors, adapter, isClosing, mostBytes })
    this.share(this.#connections, true)
    this.#review = setInterval(() => this.#reviewAll(), reviewEveryMs).unref()
    drain.signal.addEventListener('abort', () => this.close(), { once: true })
  }

  /** Serves sockets on the port of a server, beside what it answers already. */
  async attach(server: HttpServer): Promise<void> {
    await this.#connections.attach(server)
  }

  share(connections: Connections, hasRoot: boolean): void {
    const namespaces = new OpenNamespaces(
      connections.io,
      (socket) => this.#admit(socket, connections),
      (socket) => this.#serve(socket),
      hasRoot
    )
    this.#namespaces.push(namespaces)
  }

  /** Tells the sockets of this process. */
  async emit(emissions: readonly Emission[]): Promise<void> {
    for (const emission of emissions) {
      for (const spelling of spellingsOf(emission.namespace)) {
        for (const namespaces of this.#namespaces) {
          const namespace = namespaces.get(spelling)
          if (namespace) {
            emitTo(namespace, emission)
          }
        }
      }
    }
  }

  close(): void {
    clearInterval(this.#review)
    this.#connections.close()
  }

  async #admit(socket: Socket, connections: Connections): Promise<void> {
    const { authenticator, logger } = this.#options
    const requireEntry = (actor: Actor) => requireMember(actor, socket.nsp.name)
    const admitted = await admit(socket, { authenticator, logger, requireEntry })
    connections.own(socket, `${admitted.actor.kind}:${admitted.actor.id}`)
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
