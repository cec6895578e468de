import { type EngineConnection, sizeOf } from './engine_connection.js'

/** What may have been read of a connection and not been handled yet. */
const LIMITS = { bytes: 2 ** 20, requests: 100 }
/** Less than what either side waits for the other's sign of life. */
const HEARTBEAT_MS = 10_000

const FLOWS = new WeakMap<EngineConnection, IncomingFlow>()

/**
 * Stops reading from a connection while too much of what was read waits to be handled, and reads on once all of it was. So a client that
 * sends faster is slowed down, and loses nothing.
 */
export class IncomingFlow {
  readonly #connection: EngineConnection
  #requests = 0
  #bytes = 0
  #isCheckScheduled = false
  #paused: PromiseWithResolvers<void> | undefined
  #heartbeat: NodeJS.Timeout | undefined

  /** That of a connection, which is the same for all of its sockets. */
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

  /** Resolves when it is read on; undefined where it is read now. */
  get resumed(): Promise<void> | undefined {
    return this.#paused?.promise
  }

  /** A request was read, and `end` follows when it was handled. */
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
      // Requests begin a little later than they are read, and not every packet is one.
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

  /** The client's own are not read meanwhile, without which neither side would be taken for alive. */
  #sendHeartbeat(): void {
    this.#connection.pingTimeoutTimer?.refresh()
    this.#connection.sendPacket('ping')
  }
}
