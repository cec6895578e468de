import { type EngineConnection, sizeOf } from './engine_connection.js'

/** How much may be read from a connection before it is handled. */
const LIMITS = { bytes: 2 ** 20, requests: 100 }
/** Shorter than the ping timeout of either side. */
const HEARTBEAT_MS = 10_000

const FLOWS = new WeakMap<EngineConnection, IncomingFlow>()

/**
 * Backpressure: stops reading from a connection while too much of its input is unhandled, and resumes when all of it
 * is. A fast client is slowed down and loses nothing.
 */
export class IncomingFlow {
  readonly #connection: EngineConnection
  #requests = 0
  #bytes = 0
  #isCheckScheduled = false
  #paused: PromiseWithResolvers<void> | undefined
  #heartbeat: NodeJS.Timeout | undefined

  /** The flow of a connection, shared by its sockets. */
  static of(connection: EngineConnection): IncomingFlow {
    const flow = FLOWS.get(connection) ?? new IncomingFlow(connection)
    FLOWS.set(connection, flow)
    return flow
  }

  private constructor(connection: EngineConnection) {
    this.#connection = connection
    connection.on('packet', (packet) => this.#received(sizeOf(packet)))
    connection.on('upgrade', () => this.#paused && connection.transport.socket?.pause())
    connection.once('close', () => this.#resume())
  }

  /** Resolves when reading resumes; undefined if it is not paused. */
  get resumed(): Promise<void> | undefined {
    return this.#paused?.promise
  }

  /** Call when a request was read, and `finishRequest` when it was handled. */
  startRequest(): void {
    this.#requests += 1
    this.#pauseIfFull()
  }

  finishRequest(): void {
    this.#requests -= 1
    this.#resumeIfDone()
  }

  #received(bytes: number): void {
    this.#bytes += bytes
    this.#pauseIfFull()
    if (!this.#isCheckScheduled) {
      this.#isCheckScheduled = true
      // Requests start after the packet event, and not every packet is a request.
      setImmediate(() => {
        this.#isCheckScheduled = false
        this.#resumeIfDone()
      })
    }
  }

  #pauseIfFull(): void {
    if (!this.#paused && (this.#bytes > LIMITS.bytes || this.#requests > LIMITS.requests)) {
      this.#paused = Promise.withResolvers()
      this.#connection.transport.socket?.pause()
      this.#heartbeat = setInterval(() => this.#sendHeartbeat(), HEARTBEAT_MS).unref()
    }
  }

  #resumeIfDone(): void {
    if (this.#requests === 0) {
      this.#bytes = 0
      this.#resume()
    }
  }

  #resume(): void {
    clearInterval(this.#heartbeat)
    this.#paused?.resolve()
    this.#paused = undefined
    this.#connection.transport.socket?.resume()
  }

  /** The client's heartbeats are not read while paused, so neither side would stay alive without this. */
  #sendHeartbeat(): void {
    this.#connection.pingTimeoutTimer?.refresh()
    this.#connection.sendPacket('ping')
  }
}
