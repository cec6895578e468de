import { Server as HttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

import { Gauge } from 'prom-client'
import { Server, type ServerOptions, type Socket } from 'socket.io'

import { metrics } from '#observability/metrics'

import { addPortHandler, type PortHandler } from './port_handler.js'
import {
  connectionOf,
  handlePacketsInOrder,
  type EngineConnection,
  type EngineServer,
} from './engine_connection.js'
import { IncomingFlow } from './incoming_flow.js'
import { OutgoingBuffers } from './outgoing_buffers.js'
import type { Peers } from './peers.js'

const CONNECT_TIMEOUT_MS = 10_000
/** More than any client opens; each costs a look at its token. */
const MAX_NAMESPACE_REQUESTS = 32
const FINAL_POLL_TIMEOUT_MS = 5_000
const CLOSE_TIMEOUT_MS = 1_000
const SESSION = /[?&]sid=([\w.-]+)/

interface ConnectionsOptions {
  /** Where it is reached, as it is seen from outside. */
  readonly path: string
  /** The processes that share the port, where there are others. */
  readonly peers: Peers | undefined
  readonly cors: ServerOptions['cors']
  readonly adapter: ServerOptions['adapter'] | undefined
  /** Whether no more connections are admitted. */
  readonly isClosing: () => boolean
  /** The largest thing that is sent to it. */
  readonly maxBytes: number
}

const openConnections = new Gauge({
  name: 'realtime_connections',
  help: 'Connections of sockets that are open',
  registers: [metrics],
})

/**
 * The connections of sockets, on the port of the other requests. Of those it takes only what goes to its path.
 */
export class Connections implements PortHandler {
  readonly io: Server
  readonly #path: RegExp
  readonly #peers: Peers | undefined
  /** Never listens: it is handed what belongs to sockets. */
  readonly #server = new HttpServer()
  readonly #upgraded = new Set<Duplex>()
  readonly #buffers = new OutgoingBuffers()

  constructor(options: ConnectionsOptions) {
    const { path, peers, cors, adapter, isClosing, maxBytes: mostBytes } = options
    this.#peers = peers
    this.#path = new RegExp(`^${RegExp.escape(path)}(?:[/?]|$)`)
    this.io = new Server(this.#server, {
      path,
      addTrailingSlash: false,
      transports: ['polling', 'websocket'],
      cors,
      ...(adapter && { adapter }),
      serveClient: false,
      maxHttpBufferSize: mostBytes,
      connectTimeout: CONNECT_TIMEOUT_MS,
      allowRequest: (_request, decide) => decide(null, !isClosing()),
    })
    // Else two packets that come together are handled at once, whatever follows from the first.
    Object.assign(this.#engine.ws.options, { allowSynchronousEvents: false })
    this.io.engine.on('connection', (connection: EngineConnection) => {
      openConnections.inc()
      connection.once('close', () => openConnections.dec())
      limitNamespaces(connection)
      handlePacketsInOrder(connection)
      // A client that is to be closed and polls no more is gone.
      Object.assign(connection.transport, { closeTimeout: FINAL_POLL_TIMEOUT_MS })
      IncomingFlow.of(connection)
      this.#buffers.track(connection)
    })
    if (peers) {
      Object.assign(this.io.engine, { generateId: () => peers.newSession() })
    }
  }

  /** Serves on the port of a server, beside what it answers already. */
  async attach(server: HttpServer): Promise<void> {
    await this.#listenToPeers()
    addPortHandler(server, this)
  }

  matches({ url = '' }: IncomingMessage): boolean {
    return this.#path.test(url)
  }

  handleRequest(request: IncomingMessage, response: ServerResponse): void {
    const handleLocally = () => void this.#handleLocally(request, response)
    const address = this.#peers?.addressFor(request)
    if (address === undefined) {
      handleLocally()
    } else {
      this.#peers!.forwardRequest(address, request, response, handleLocally)
    }
  }

  handleUpgrade(request: IncomingMessage, stream: Duplex, head: Buffer): void {
    const address = this.#peers?.addressFor(request)
    if (address === undefined) {
      this.#upgrade(request, stream, head)
    } else {
      this.#track(stream)
      this.#peers!.forwardUpgrade(address, request, stream, head)
    }
  }

  /**
   * Closes every connection. They are closed as a network would do it, so that clients come back elsewhere by themselves;
   * those that do not answer are cut off.
   */
  close(): void {
    this.#peers?.close()
    this.io.engine.close()
    setTimeout(() => this.#upgraded.forEach((stream) => stream.destroy()), CLOSE_TIMEOUT_MS).unref()
  }

  /** Says whose a socket is, whose connection may be that of other sockets, too. */
  assignOwner(socket: Socket, owner: string): void {
    this.#buffers.assignOwner(connectionOf(socket), owner)
  }

  /** A client in one of some rooms of the root namespace that has much to read of what was sent before. */
  findBusyConnection(rooms: readonly string[]): EngineConnection | undefined {
    const { adapter, sockets } = this.io.of('/')
    return rooms
      .flatMap((room) => [...(adapter.rooms.get(room) ?? [])])
      .map((id) => connectionOf(sockets.get(id)!))
      .find((connection) => this.#buffers.isBusy(connection))
  }

  /** Resolves when a client has read enough of that, or is closed. */
  waitForCapacity(connection: EngineConnection): Promise<void> {
    return this.#buffers.waitForCapacity(connection)
  }

  /** What a client sends by polling waits, unread, while what it sent before is still to be handled. */
  async #handleLocally(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const session = SESSION.exec(request.url ?? '')?.[1]
    const connection = request.method === 'POST' && session && this.#engine.clients[session]
    if (connection) {
      await IncomingFlow.of(connection).resumed
    }
    this.#server.emit('request', request, response)
  }

  get #engine(): EngineServer {
    return this.io.engine as unknown as EngineServer
  }

  /** Takes what other processes get for sessions of this one. */
  async #listenToPeers(): Promise<void> {
    await this.#peers?.listen({
      request: (request, response) => void this.#handleLocally(request, response),
      upgrade: (request, stream, head) => this.#upgrade(request, stream, head),
    })
  }

  #track(stream: Duplex): void {
    this.#upgraded.add(stream)
    stream.once('close', () => this.#upgraded.delete(stream))
    stream.on('error', () => stream.destroy())
  }

  #upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): void {
    this.#track(stream)
    this.#server.emit('upgrade', request, stream, head)
  }
}

function limitNamespaces(connection: EngineConnection): void {
  let requests = 0
  connection.on('packet', ({ type, data }) => {
    const isNamespaceRequest = type === 'message' && typeof data === 'string' && data[0] === '0'
    if (isNamespaceRequest && ++requests > MAX_NAMESPACE_REQUESTS) {
      connection.close(true)
    }
  })
}
