import { Counter } from 'prom-client'

import { metrics } from '#observability/metrics'

import { type EngineConnection, sizeOf } from './engine_connection.js'

/** How many bytes may wait for clients to read them. */
export interface BufferLimits {
  readonly connection: number
  readonly owner: number
  readonly all: number
}

export const BUFFER_LIMITS: BufferLimits = {
  connection: 2 ** 20,
  owner: 8 * 2 ** 20,
  all: 128 * 2 ** 20,
}

/** How long a sender waits for a recipient who does not read. */
const READ_TIMEOUT_MS = 5_000
const TERMINATE_TIMEOUT_MS = 1_000
const CLOSE_CODE = 1013
const CLOSE_REASON = 'Too much waits to be read by this client; connect again and read faster'

const closedConnections = new Counter({
  name: 'realtime_slow_connections_total',
  help: 'Connections of sockets that were closed since too much waited for their client to read it',
  registers: [metrics],
})

interface OutgoingBuffer {
  pendingBytes: number
  /** What of that the transport has taken. */
  inTransitBytes: number
  owner: string | undefined
  /** Who waits for room. */
  readonly waiters: Set<() => void>
}

/**
 * What waits for the clients of a process, which read as slowly as they like. A connection is closed when it is to get more while too much
 * waits for it, for all of its owner's connections, or, of all connections, most waits for it.
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

  /** Whose connection it is, once that is known. */
  assignOwner(connection: EngineConnection, owner: string): void {
    const buffer = this.#buffers.get(connection)
    if (buffer && buffer.owner === undefined) {
      buffer.owner = owner
      this.#count(owner, buffer.pendingBytes)
    }
  }

  /** Whether a sender should wait before it sends more to a connection. */
  isBusy(connection: EngineConnection): boolean {
    return (this.#buffers.get(connection)?.pendingBytes ?? 0) > this.#limits.connection / 2
  }

  /** Resolves when there is room again. A client that makes none for long is closed. */
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

  /** What a transport has taken waits until the client did. */
  #markInTransit(connection: EngineConnection, buffer: OutgoingBuffer): void {
    const { transport } = connection
    const bytes = buffer.pendingBytes - buffer.inTransitBytes
    buffer.inTransitBytes += bytes
    const onRead = () => {
      buffer.inTransitBytes -= bytes
      // What waited for a websocket that is closed does so no more.
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
