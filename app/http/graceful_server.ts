import { Server, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'

import { ConnectionCount, exceedsLimit, type ConnectionLimits } from './connection_limit.js'
import { respondToClientErrors } from './client_errors.js'
import { closeIfBodyStalls, serverTimeouts } from './request_timeouts.js'
import { SlowReaders, type ReadingPace } from './slow_readers.js'
import type { Drain } from '#kernel/drain'

interface Connection {
  responses: readonly ServerResponse[]
  /** The bytes received when the last response was sent; more bytes belong to a new request. */
  bytesUsed: number
}

/** How long a keep-alive client may send one more request, whose response announces the close. */
const LAST_REQUEST_MS = 1_500
const LIMIT_MS = 25_000
const SWEEP_MS = 250

const NO_LIMITS: ConnectionLimits = { all: 0, perAddress: 0, isShared: () => false }

/**
 * An HTTP server that tracks its requests, so that it can close without failing any. After the drain has started, every
 * response has `connection: close`.
 */
export class GracefulServer extends Server {
  readonly #connections = new Map<Socket, Connection>()
  readonly #count = new ConnectionCount()
  readonly #limits: ConnectionLimits
  readonly #drain: Drain
  readonly #slowReaders: SlowReaders
  #isClosed = false

  constructor(listener: RequestListener, drain: Drain, limits = NO_LIMITS, pace?: ReadingPace) {
    super(serverTimeouts())
    respondToClientErrors(this)
    this.#drain = drain
    this.#limits = limits
    this.#slowReaders = new SlowReaders(pace)
    this.on('connection', (socket: Socket) => this.#trackConnection(socket))
    this.on('request', (request, response) => this.#trackRequest(request, response))
    this.on('request', listener)
    drain.signal.addEventListener('abort', () => this.#announceCloseToAll())
  }

  get connectionCount(): number {
    return this.#connections.size
  }

  /** Enables request timeouts for servers that get their connections by `accept` only. */
  expectConnections(): void {
    // Node's HTTP server starts its timeout checks on this event.
    this.emit('listening')
  }

  /** Serves a connection that another process accepted; returns false if this server is closed. */
  accept(socket: Socket): boolean {
    if (!this.#isClosed) {
      this.emit('connection', socket)
    }
    return !this.#isClosed
  }

  /**
   * Stops accepting and waits until every connection is closed: after its last response, when idle, or at the limit.
   * The drain must have started.
   */
  async closeGracefully(): Promise<void> {
    // The HTTP server's own `close` would cut idle connections that clients are about to use.
    NetServer.prototype.close.call(this)
    const startedAt = performance.now()
    const sweep = setInterval(() => this.#sweep(performance.now() - startedAt), SWEEP_MS)
    while (this.#connections.size > 0) {
      const [socket] = this.#connections.keys()
      await new Promise((resolve) => socket!.once('close', resolve))
    }
    this.#isClosed = true
    clearInterval(sweep)
  }

  #trackConnection(socket: Socket): void {
    const address = socket.remoteAddress ?? ''
    const present = { all: this.#count.all, fromAddress: this.#count.from(address) }
    this.#connections.set(socket, { responses: [], bytesUsed: 0 })
    this.#count.add(address)
    this.#slowReaders.start(this.#connections)
    socket.on('close', () => {
      this.#connections.delete(socket)
      this.#slowReaders.forget(socket)
      this.#count.remove(address)
    })
    if (exceedsLimit(this.#limits, address, present)) {
      socket.destroy()
    }
  }

  #trackRequest(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request
    const connection = this.#connections.get(socket)!
    // `concat` allocates the exact size; spread reserves room for sixteen more elements.
    connection.responses = connection.responses.concat(response)
    response.on('close', () => {
      connection.responses = connection.responses.filter((other) => other !== response)
      connection.bytesUsed = socket.bytesRead
      closeIfBodyStalls(request)
    })
    if (this.#drain.hasStarted) {
      announceClose(response)
    }
  }

  #announceCloseToAll(): void {
    for (const { responses } of this.#connections.values()) {
      responses.forEach(announceClose)
    }
  }

  #sweep(elapsed: number): void {
    for (const [socket, { responses, bytesUsed }] of this.#connections) {
      const isUnused = responses.length === 0 && socket.bytesRead === bytesUsed
      if (elapsed > LIMIT_MS || (elapsed > LAST_REQUEST_MS && isUnused)) {
        socket.destroy()
      }
    }
  }
}

function announceClose(response: ServerResponse): void {
  if (!response.headersSent) {
    response.setHeader('connection', 'close')
  }
}
