import { Server as HttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

import { Gauge } from 'prom-client'
import { Server, type ServerOptions, type Socket } from 'socket.io'

import { metrics } from '#observability/metrics'

import { ClientAddresses } from './client_addresses.js'
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
/** More than any client opens. Each costs a token verification. */
const MAX_NAMESPACE_REQUESTS = 32
const FINAL_POLL_TIMEOUT_MS = 5_000
const CLOSE_TIMEOUT_MS = 1_000
const SESSION = /[?&]sid=([\w.-]+)/

interface ConnectionsOptions {
  /** The public path. */
  readonly path: string
  /** The other processes on the same port, if any. */
  readonly peers: Peers | undefined
  readonly cors: ServerOptions['cors']
  readonly adapter: ServerOptions['adapter'] | undefined
  /** Whether new connections are refused. */
  readonly isClosing: () => boolean
  /** The maximum message size in bytes. */
  readonly maxBytes: number
}

const openConnections = new Gauge({
  name: 'realtime_connections',
  help: 'Open socket connections',
  registers: [metrics],
})

/**
 * The Socket.IO connections of a surface. They share the port of the HTTP server: only requests below `path` are
 * handled here.
 */
export class Connections implements PortHandler {
  readonly io: Server
  readonly #path: RegExp
  readonly #peers: Peers | undefined
  /** Never listens: it receives the requests that belong to sockets. */
  readonly #server = new HttpServer()
  readonly #upgraded = new Set<Duplex>()
  readonly #buffers = new OutgoingBuffers()
  readonly #addresses = new ClientAddresses()

  constructor(options: ConnectionsOptions) {
    const { path, peers, cors, adapter, isClosing, maxBytes: maxBytes } = options
    this.#peers = peers
    this.#path = new RegExp(`^${RegExp.escape(path)}(?:[/?]|$)`)
    this.io = new Server(this.#server, {
      path,
      addTrailingSlash: false,
      transports: ['polling', 'websocket'],
      cors,
      ...(adapter && { adapter }),
      serveClient: false,
      maxHttpBufferSize: maxBytes,
      connectTimeout: CONNECT_TIMEOUT_MS,
      allowRequest: (request, decide) =>
        decide(null, !isClosing() && this.#addresses.hasRoom(request)),
    })
    // Otherwise two packets in one read are handled synchronously, before the effects of the first.
    Object.assign(this.#engine.ws.options, { allowSynchronousEvents: false })
    this.io.engine.on('connection', (connection: EngineConnection) => {
      openConnections.inc()
      const forget = this.#addresses.add(connection.request)
      connection.once('close', () => {
        openConnections.dec()
        forget()
      })
      limitNamespaces(connection)
      handlePacketsInOrder(connection)
      // Drops a polling client that does not poll again after the request to close.
      Object.assign(connection.transport, { closeTimeout: FINAL_POLL_TIMEOUT_MS })
      IncomingFlow.of(connection)
      this.#buffers.track(connection)
    })
    if (peers) {
      Object.assign(this.io.engine, { generateId: () => peers.newSession() })
    }
  }

  /** Attaches to an HTTP server, beside its other handlers. */
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
   * Closes every connection. Closing looks like a network failure, so that clients reconnect elsewhere. Connections
   * that do not respond are destroyed.
   */
  close(): void {
    this.#peers?.close()
    this.io.engine.close()
    setTimeout(() => this.#upgraded.forEach((stream) => stream.destroy()), CLOSE_TIMEOUT_MS).unref()
  }

  /** Sets the owner of a socket's connection. Several sockets may share the connection. */
  assignOwner(socket: Socket, owner: string): void {
    this.#buffers.assignOwner(connectionOf(socket), owner)
  }

  /** A connection in one of these rooms of the root namespace with a large outgoing buffer. */
  findBusyConnection(rooms: readonly string[]): EngineConnection | undefined {
    const { adapter, sockets } = this.io.of('/')
    return rooms
      .flatMap((room) => [...(adapter.rooms.get(room) ?? [])])
      .map((id) => connectionOf(sockets.get(id)!))
      .find((connection) => this.#buffers.isBusy(connection))
  }

  /** Resolves when the client has read enough, or is closed. */
  waitForCapacity(connection: EngineConnection): Promise<void> {
    return this.#buffers.waitForCapacity(connection)
  }

  /** A polling request waits, unread, while earlier messages of its connection are still being handled. */
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

  /** Receives requests for sessions of this process from the other processes. */
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
