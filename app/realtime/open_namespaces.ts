import type { Namespace, Server, Socket } from 'socket.io'

import { isNamespace } from './namespaces.js'

type AdmitSocket = (socket: Socket) => Promise<void>

/** Internals of Socket.IO. */
interface NamespaceInternals {
  readonly children: Set<Namespace>
  readonly _preConnectSockets: ReadonlyMap<string, Socket>
}

/**
 * The namespaces with connected clients. Clients choose the names, so empty ones are removed. The root namespace only
 * exists for clients that enter it first; it has no events.
 */
export class OpenNamespaces {
  readonly #io: Server
  readonly #children: Set<Namespace>

  /** `admit` rejects with the error for the client. */
  constructor(io: Server, admit: AdmitSocket, serve: (socket: Socket) => void, hasRoot: boolean) {
    this.#io = io
    const parent = io.of((name, _auth, next) => next(null, isNamespace(name)))
    this.#children = (parent as unknown as NamespaceInternals).children
    parent.use((socket, next) => void this.#admit(socket, admit, next))
    parent.on('connection', (socket) => {
      socket.once('disconnect', () => this.#removeIfEmpty(socket.nsp))
      serve(socket)
    })
    if (hasRoot) {
      io.use((socket, next) => void admit(socket).then(() => next(), next))
      io.on('connection', serve)
    }
  }

  get(name: string): Namespace | undefined {
    return this.#io._nsps.get(name)
  }

  async #admit(socket: Socket, admit: AdmitSocket, next: (refusal?: Error) => void): Promise<void> {
    await admit(socket).then(() => next(), next)
    this.#removeIfEmpty(socket.nsp)
  }

  /**
   * Socket.IO's own cleanup ignores sockets that are still connecting, and would leave them in a namespace that
   * receives no events. The check is deferred until such sockets are registered.
   */
  #removeIfEmpty(namespace: Namespace): void {
    setImmediate(() => {
      const entering = (namespace as unknown as NamespaceInternals)._preConnectSockets
      const isEmpty = namespace.sockets.size === 0 && entering.size === 0
      if (isEmpty && this.#children.delete(namespace)) {
        this.#io._nsps.delete(namespace.name)
        void namespace.adapter.close()
      }
    })
  }
}
