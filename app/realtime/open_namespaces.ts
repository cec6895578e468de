import type { Namespace, Server, Socket } from 'socket.io'

import { isNamespace } from './namespaces.js'

type AdmitSocket = (socket: Socket) => Promise<void>

/** What the library keeps to itself. */
interface NamespaceInternals {
  readonly children: Set<Namespace>
  readonly _preConnectSockets: ReadonlyMap<string, Socket>
}

/**
 * The namespaces that clients are connected to. Clients name them as they like, so empty ones do not stay. The root, where
 * it is among them, is there for clients that enter it first; nothing is told in it.
 */
export class OpenNamespaces {
  readonly #io: Server
  readonly #children: Set<Namespace>

  /** `admit` rejects with what a client is told where it may not enter. */
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
   * The library's own way of removing them looks past sockets that are just being let in, and would leave those in a
   * namespace that nothing is emitted to. Later, a client that enters is known to be on the way.
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
