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
const READS_WITHIN_MS = 5_000
const TERMINATED_WITHIN_MS = 1_000
const TRY_AGAIN_LATER = 1013
const REASON = 'Too much waits to be read by this client; connect again and read faster'

const closed = new Counter({
  name: 'realtime_slow_connections_total',
  help: 'Connections of sockets that were closed since too much waited for their client to read it',
  registers: [metrics],
})

interface Waiting {
  waiting: number
  /** What of that the transport has taken. */
  leaving: number
  owner: string | undefined
  /** Who waits for room. */
  readonly senders: Set<() => void>
}

/**
 * What waits for the clients of a process, which read as slowly as they like. A connection is closed when it is to get more while too much
 * waits for it, for all of its owner's connections, or, of all connections, most waits for it.
 */
export class OutgoingBuffers {
  readonly #limits: BufferLimits
  readonly #buffers = new Map<EngineConnection, Waiting>()
  readonly #byOwner = new Map<string, number>()
  #all = 0

  constructor(limits: BufferLimits = BUFFER_LIMITS) {
    this.#limits = limits
  }

  watch(connection: EngineConnection): void {
    const buffer: Waiting = { waiting: 0, leaving: 0, owner: undefined, senders: new Set() }
    this.#buffers.set(connection, buffer)
    connection.on('packetCreate', (packet) => this.#add(connection, buffer, sizeOf(packet)))
    connection.on('flush', () => this.#leave(connection, buffer))
    connection.once('close', () => {
      this.#buffers.delete(connection)
      const isGone = connection.transport.socket !== undefined
      this.#remove(buffer, isGone ? buffer.waiting : buffer.waiting - buffer.leaving)
      buffer.senders.forEach((go) => go())
    })
  }

  /** Whose connection it is, once that is known. */
  own(connection: EngineConnection, owner: string): void {
    const buffer = this.#buffers.get(connection)
    if (buffer && buffer.owner === undefined) {
      buffer.owner = owner
      this.#count(owner, buffer.waiting)
    }
  }

  /** Whether a sender should wait before it sends more to a connection. */
  isBusy(connection: EngineConnection): boolean {
    return (this.#buffers.get(connection)?.waiting ?? 0) > this.#limits.connection / 2
  }

  /** Resolves when there is room again. A client that makes none for long is closed. */
  async untilRoom(connection: EngineConnection): Promise<void> {
    const buffer = this.#buffers.get(connection)
    if (!buffer || !this.isBusy(connection)) {
      return
    }
    const { promise, resolve } = Promise.withResolvers<void>()
    const limit = setTimeout(() => this.#close(connection), READS_WITHIN_MS)
    buffer.senders.add(resolve)
    await promise
    clearTimeout(limit)
    buffer.senders.delete(resolve)
  }

  #add(connection: EngineConnection, buffer: Waiting, bytes: number): void {
    if (bytes > 0 && this.#buffers.has(connection)) {
      this.#closeIfFull(connection, buffer)
      this.#count(buffer.owner, bytes)
      this.#all += bytes
      buffer.waiting += bytes
    }
  }

  #closeIfFull(connection: EngineConnection, { waiting, owner }: Waiting): void {
    const ofOwner = owner === undefined ? 0 : (this.#byOwner.get(owner) ?? 0)
    if (waiting > this.#limits.connection || ofOwner > this.#limits.owner) {
      this.#close(connection)
    } else if (this.#all > this.#limits.all) {
      const [fullest] = [...this.#buffers].reduce((most, one) =>
        one[1].waiting > most[1].waiting ? one : most
      )
      this.#close(fullest)
    }
  }

  /** What a transport has taken waits until the client did. */
  #leave(connection: EngineConnection, buffer: Waiting): void {
    const { transport } = connection
    const bytes = buffer.waiting - buffer.leaving
    buffer.leaving += bytes
    const isRead = () => {
      buffer.leaving -= bytes
      // What waited for a websocket that is closed does so no more.
      this.#remove(buffer, Math.min(bytes, buffer.waiting))
    }
    if (transport.res) {
      transport.res.once('close', isRead)
    } else {
      transport.once('drain', isRead)
    }
  }

  #remove(buffer: Waiting, bytes: number): void {
    buffer.waiting -= bytes
    this.#all -= bytes
    this.#count(buffer.owner, -bytes)
    if (buffer.waiting <= this.#limits.connection / 2) {
      buffer.senders.forEach((go) => go())
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
    closed.inc()
    const { socket } = connection.transport
    socket?.close(TRY_AGAIN_LATER, REASON)
    connection.close(true)
    setTimeout(() => socket?.terminate(), TERMINATED_WITHIN_MS).unref()
  }
}
