import { Counter } from 'prom-client'

import { metrics } from '#observability/metrics'

import { type EngineConnection, sizeOf } from './engine_connection.js'

/** How many bytes may be buffered for clients. */
export interface BufferLimits {
  readonly connection: number
  readonly owner: number
  readonly all: number
}

const BUFFER_LIMITS: BufferLimits = {
  connection: 2 ** 20,
  owner: 8 * 2 ** 20,
  all: 128 * 2 ** 20,
}

/** How long a sender waits for a recipient that does not read. */
const READ_TIMEOUT_MS = 5_000
const TERMINATE_TIMEOUT_MS = 1_000
const CLOSE_CODE = 1013
const CLOSE_REASON = 'The client reads too slowly: connect again and read faster'

const closedConnections = new Counter({
  name: 'realtime_slow_connections_total',
  help: 'Socket connections closed because their client read too slowly',
  registers: [metrics],
})

interface OutgoingBuffer {
  pendingBytes: number
  /** The part that was handed to the transport. */
  inTransitBytes: number
  owner: string | undefined
  /** Callbacks of senders that wait for capacity. */
  readonly waiters: Set<() => void>
}

/**
 * The outgoing data of the clients of a process. A connection is closed when it gets more data while too much is
 * buffered for it or for all connections of its owner. If too much is buffered overall, the connection with the largest
 * buffer is closed.
 */
export class OutgoingBuffers {
  readonly #limits: BufferLimits
  readonly #buffers = new Map<EngineConnection, OutgoingBuffer>()
  readonly #byOwner = new Map<string, number>()
  #all = 0

  constructor(limits: BufferLimits = BUFFER_LIMITS) {
    this.#limits = limits
  }

  track(connection: EngineConnection): void {
    const buffer: OutgoingBuffer = {
      pendingBytes: 0,
      inTransitBytes: 0,
      owner: undefined,
      waiters: new Set(),
    }
    this.#buffers.set(connection, buffer)
    connection.on('packetCreate', (packet) => this.#add(connection, buffer, sizeOf(packet)))
    connection.on('flush', () => this.#markInTransit(connection, buffer))
    connection.once('close', () => {
      this.#buffers.delete(connection)
      const isWebsocket = connection.transport.socket !== undefined
      this.#remove(
        buffer,
        isWebsocket ? buffer.pendingBytes : buffer.pendingBytes - buffer.inTransitBytes
      )
      buffer.waiters.forEach((resume) => resume())
    })
  }

  /** Sets the owner of a connection, once it is known. */
  assignOwner(connection: EngineConnection, owner: string): void {
    const buffer = this.#buffers.get(connection)
    if (buffer && buffer.owner === undefined) {
      buffer.owner = owner
      this.#count(owner, buffer.pendingBytes)
    }
  }

  /** Whether a sender should wait before it sends more. */
  isBusy(connection: EngineConnection): boolean {
    return (this.#buffers.get(connection)?.pendingBytes ?? 0) > this.#limits.connection / 2
  }

  /** Resolves when there is capacity again. A client that does not read in time is closed. */
  async waitForCapacity(connection: EngineConnection): Promise<void> {
    const buffer = this.#buffers.get(connection)
    if (!buffer || !this.isBusy(connection)) {
      return
    }
    const { promise, resolve } = Promise.withResolvers<void>()
    const limit = setTimeout(() => this.#close(connection), READ_TIMEOUT_MS)
    buffer.waiters.add(resolve)
    await promise
    clearTimeout(limit)
    buffer.waiters.delete(resolve)
  }

  #add(connection: EngineConnection, buffer: OutgoingBuffer, bytes: number): void {
    if (bytes > 0 && this.#buffers.has(connection)) {
      this.#closeIfFull(connection, buffer)
      this.#count(buffer.owner, bytes)
      this.#all += bytes
      buffer.pendingBytes += bytes
    }
  }

  #closeIfFull(
    connection: EngineConnection,
    { pendingBytes: waiting, owner }: OutgoingBuffer
  ): void {
    const ofOwner = owner === undefined ? 0 : (this.#byOwner.get(owner) ?? 0)
    if (waiting > this.#limits.connection || ofOwner > this.#limits.owner) {
      this.#close(connection)
    } else if (this.#all > this.#limits.all) {
      const [fullest] = [...this.#buffers].reduce((most, one) =>
        one[1].pendingBytes > most[1].pendingBytes ? one : most
      )
      this.#close(fullest)
    }
  }

  /** Data of the transport counts until the client received it. */
  #markInTransit(connection: EngineConnection, buffer: OutgoingBuffer): void {
    const { transport } = connection
    const bytes = buffer.pendingBytes - buffer.inTransitBytes
    buffer.inTransitBytes += bytes
    const onRead = () => {
      buffer.inTransitBytes -= bytes
      // The buffer of a closed websocket was removed already.
      this.#remove(buffer, Math.min(bytes, buffer.pendingBytes))
    }
    if (transport.res) {
      transport.res.once('close', onRead)
    } else {
      transport.once('drain', onRead)
    }
  }

  #remove(buffer: OutgoingBuffer, bytes: number): void {
    buffer.pendingBytes -= bytes
    this.#all -= bytes
    this.#count(buffer.owner, -bytes)
    if (buffer.pendingBytes <= this.#limits.connection / 2) {
      buffer.waiters.forEach((resume) => resume())
    }
  }

  #count(owner: string | undefined, bytes: number): void {
    if (owner !== undefined && bytes !== 0) {
      const count = (this.#byOwner.get(owner) ?? 0) + bytes
      if (count > 0) {
        this.#byOwner.set(owner, count)
      } else {
        this.#byOwner.delete(owner)
      }
    }
  }

  #close(connection: EngineConnection): void {
    if (!this.#buffers.has(connection)) {
      return
    }
    closedConnections.inc()
    const { socket } = connection.transport
    socket?.close(CLOSE_CODE, CLOSE_REASON)
    connection.close(true)
    setTimeout(() => socket?.terminate(), TERMINATE_TIMEOUT_MS).unref()
  }
}
