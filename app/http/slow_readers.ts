import type { Socket } from 'node:net'

import { Counter } from 'prom-client'

import { metrics } from '#observability/metrics'

/** How much a client has to read in which time while an answer waits for it. */
export interface ReadingPace {
  readonly windowMs: number
  readonly bytes: number
}

/** One kibibyte per second, which the slowest line carries. */
const READING_PACE: ReadingPace = { windowMs: 30_000, bytes: 30 * 1_024 }

const CHECKS_PER_WINDOW = 4

const ended = new Counter({
  name: 'http_slow_readers_total',
  help: 'Connections that were ended since their client did not read its answer, or too slowly',
  registers: [metrics],
})

/** What Node.js knows of a connection and does not publish. */
interface Handle {
  readonly bytesWritten: number
  readonly writeQueueSize: number
}

interface Reading {
  readonly since: number
  readonly taken: number
}

/**
 * Ends connections whose client keeps an answer waiting: whatever is sent, such as files, streams and lists, takes
 * memory and descriptors until it is read. A client that reads a byte now and then does not read.
 */
export class SlowReaders {
  readonly #pace: ReadingPace
  readonly #readings = new Map<Socket, Reading>()
  #timer: NodeJS.Timeout | undefined

  constructor(pace: ReadingPace = READING_PACE) {
    this.#pace = pace
  }

  /** Checks connections as long as there are any. */
  start(connections: ReadonlyMap<Socket, unknown>): void {
    this.#timer ??= setInterval(() => {
      if (connections.size === 0) {
        clearInterval(this.#timer)
        this.#timer = undefined
      }
      this.#check(connections.keys())
    }, this.#pace.windowMs / CHECKS_PER_WINDOW).unref()
  }

  /** Forgets a connection that was closed. */
  forget(socket: Socket): void {
    this.#readings.delete(socket)
  }

  #check(sockets: Iterable<Socket>): void {
    const now = performance.now()
    for (const socket of sockets) {
      const taken = takenBy(socket)
      if (taken === undefined) {
        this.#readings.delete(socket)
      } else if (this.#isSlow(socket, now, taken)) {
        ended.inc()
        socket.destroy()
      }
    }
  }

  #isSlow(socket: Socket, now: number, taken: number): boolean {
    const reading = this.#readings.get(socket)
    if (!reading || taken - reading.taken >= this.#pace.bytes) {
      this.#readings.set(socket, { since: now, taken })
      return false
    }
    return now - reading.since >= this.#pace.windowMs
  }
}

/** How many bytes the client took; undefined if none wait for it. */
function takenBy(socket: Socket): number | undefined {
  const handle = (socket as { _handle?: Handle | null })._handle
  const waits = handle && (socket.writableLength > 0 || handle.writeQueueSize > 0)
  return waits ? handle.bytesWritten - handle.writeQueueSize : undefined
}
