import { Server as HttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

import { Gauge } from 'prom-client'
import { Server, type ServerOptions, type Socket } from 'socket.io'

import { metrics } from '#observability/metrics'

import { openDoor, type Door } from './doors.js'
import {
  connectionOf,
  handleOneByOne,
  type EngineConnection,
  type EngineServer,
} from './engine_connection.js'
import { IncomingFlow } from './incoming_flow.js'
import { OutgoingBuffers } from './outgoing_buffers.js'
import type { Peers } from './peers.js'

const JOINED_WITHIN_MS = 10_000
/** More than any client opens; each costs a look at its token. */
const MOST_NAMESPACES_ASKED = 32
const LAST_POLL_WITHIN_MS = 5_000
const CLOSED_WITHIN_MS = 1_000
const SESSION = /[?&]sid=([\w.-]+)/

interface Options {
  /** Where it is reached, as it is seen from outside. */
  readonly path: string
  /** The processes that share the port, where there are others. */
  readonly peers: Peers | undefined
  readonly cors: ServerOptions['cors']
  readonly adapter: ServerOptions['adapter'] | undefined
  /** Whether no more connections are admitted. */
  readonly isClosing: () => boolean
  /** The largest thing that is sent to it. */
  readonly mostBytes: number
}

const open = new Gauge({
  name: 'realtime_connections',
  help: 'Connections of sockets that are open',
  registers: [metrics],
})

/**
 * The connections of sockets, on the port of the other requests. Of those it takes only what goes to its path.
 */
export class Connections implements Door {
  readonly io: Server
  readonly #path: RegExp
  readonly #peers: Peers | undefined
  /** Never listens: it is handed what belongs to sockets. */
  readonly #door = new HttpServer()
  readonly #upgraded = new Set<Duplex>()
  readonly #buffers = new OutgoingBuffers()

  constructor(options: Options) {
    const { path, peers, cors, adapter, isClosing, mostBytes } = options
    this.#peers = peers
    this.#path = new RegExp(`^${RegExp.escape(path)}(?:[/?]|$)`)
    this.io = new Server(this.#door, {
      path,
      addTrailingSlash: false,
      transports: ['polling', 'websocket'],
      cors,
      ...(adapter && { adapter }),
      serveClient: false,
      maxHttpBufferSize: mostBytes,
      connectTimeout: JOINED_WITHIN_MS,
      allowRequest: (_request, decide) => decide(null, !isClosing()),
    })
    // Else two packets that come together are handled at once, whatever follows from the first.
    Object.assign(this.#engine.ws.options, { allowSynchronousEvents: false })
    this.io.engine.on('connection', (connection: EngineConnection) => {
      open.inc()
      connection.once('close', () => open.dec())
      limitNamespaces(connection)
      handleOneByOne(connection)
      // A client that is to be closed and polls no more is gone.
      Object.assign(connection.transport, { closeTimeout: LAST_POLL_WITHIN_MS })
      IncomingFlow.of(connection)
      this.#buffers.watch(connection)
    })
    if (peers) {
      Object.assign(this.io.engine, { generateId: () => peers.newSession() })
    }
  }

  /** Serves on the port of a server, beside what it answers already. */
  async attach(server: HttpServer): Promise<void> {
    await this.#listenToPeers()
    openDoor(server, this)
  }

  isFor({ url = '' }: IncomingMessage): boolean {
    return this.#path.test(url)
  }

  answer(request: IncomingMessage, response: ServerResponse): void {
    const answerHere = () => void this.#answerHere(request, response)
    const address = this.#peers?.addressFor(request)
    if (address === undefined) {
      answerHere()
    } else {
      this.#peers!.passRequest(address, request, response, answerHere)
    }
  }

  upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): void {
    const address = this.#peers?.addressFor(request)
    if (address === undefined) {
      this.#upgrade(request, stream, head)
    } else {
      this.#watch(stream)
      this.#peers!.passUpgrade(address, request, stream, head)
    }
  }

  /**
   * Closes every connection. They are closed as a network would do it, so that clients come back elsewhere by themselves;
   * those that do not answer are cut off.
   */
  close(): void {
    this.#peers?.close()
    this.io.engine.close()
    setTimeout(() => this.#upgraded.forEach((stream) => stream.destroy()), CLOSED_WITHIN_MS).unref()
  }

  /** Says whose a socket is, whose connection may be that of other sockets, too. */
  own(socket: Socket, owner: string): void {
    this.#buffers.own(connectionOf(socket), owner)
  }

  /** A client in one of some rooms of the root namespace that has much to read of what was sent before. */
  busyIn(rooms: readonly string[]): EngineConnection | undefined {
    const { adapter, sockets } = this.io.of('/')
    return rooms
      .flatMap((room) => [...(adapter.rooms.get(room) ?? [])])
      .map((id) => connectionOf(sockets.get(id)!))
      .find((connection) => this.#buffers.isBusy(connection))
  }

  /** Resolves when a client has read enough of that, or is closed. */
  untilRoom(connection: EngineConnection): Promise<void> {
    return this.#buffers.untilRoom(connection)
  }

  /** What a client sends by polling waits, unread, while what it sent before is still to be handled. */
  async #answerHere(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const session = SESSION.exec(request.url ?? '')?.[1]
    const connection = request.method === 'POST' && session && this.#engine.clients[session]
    if (connection) {
      await IncomingFlow.of(connection).resumed
    }
    this.#door.emit('request', request, response)
  }

  get #engine(): EngineServer {
    return this.io.engine as unknown as EngineServer
  }

  /** Takes what other processes get for sessions of this one. */
  async #listenToPeers(): Promise<void> {
    await this.#peers?.listen({
      request: (request, response) => void this.#answerHere(request, response),
      upgrade: (request, stream, head) => this.#upgrade(request, stream, head),
    })
  }

  #watch(stream: Duplex): void {
    this.#upgraded.add(stream)
    stream.once('close', () => this.#upgraded.delete(stream))
    stream.on('error', () => stream.destroy())
  }

  #upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): void {
    this.#watch(stream)
    this.#door.emit('upgrade', request, stream, head)
  }
}

function limitNamespaces(connection: EngineConnection): void {
  let asked = 0
  connection.on('packet', ({ type, data }) => {
    const asksForNamespace = type === 'message' && typeof data === 'string' && data[0] === '0'
    if (asksForNamespace && ++asked > MOST_NAMESPACES_ASKED) {
      connection.close(true)
    }
  })
}
